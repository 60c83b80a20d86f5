public import RandomSupport
public import TidingsProto

/// A few predicates whose meaning is written down a second time, as plainly as possible.
///
/// Different values of this type never mean the same, so that channels can be told apart.
public indirect enum OraclePredicate: Hashable, Sendable {
  case all
  case greater(String, Int64)
  case equal(String, String)
  case oneOf(String, [Int64])
  case contains(String, String)
  case both(OraclePredicate, OraclePredicate)
  case not(OraclePredicate)

  public var text: String {
    switch self {
    case .all: "TRUEPREDICATE"
    case .greater(let field, let bound): "\(field) > \(bound)"
    case .equal(let field, let text): "\(field) = '\(text)'"
    case .oneOf(let field, let numbers):
      "\(field) IN {\(numbers.map(String.init).joined(separator: ", "))}"
    case .contains(let field, let text): "\(field) CONTAINS '\(text)'"
    case .both(let a, let b): "(\(a.text)) AND (\(b.text))"
    case .not(let predicate): "NOT (\(predicate.text))"
    }
  }

  public func matches(_ fields: [String: TidingsV1.FieldValue]) -> Bool {
    switch self {
    case .all: return true
    case .greater(let field, let bound):
      return number(fields[field]).map { $0 > Double(bound) } ?? false
    case .equal(let field, let text): return fields[field]?.value == .stringValue(text)
    case .oneOf(let field, let numbers):
      return number(fields[field]).map(numbers.map(Double.init).contains) ?? false
    case .contains(let field, let text):
      guard case .stringListValue(let list)? = fields[field]?.value else { return false }
      return list.values.contains(text)
    case .both(let a, let b): return a.matches(fields) && b.matches(fields)
    case .not(let predicate): return !predicate.matches(fields)
    }
  }

  /// Whole numbers and others compare as numbers.
  private func number(_ value: TidingsV1.FieldValue?) -> Double? {
    switch value?.value {
    case .int64Value(let number): Double(number)
    case .doubleValue(let number): number
    default: nil
    }
  }

  /// Any of them, over the fields that `Oracle`'s tests use: `n`, `city`, `tags`.
  public static func random(using random: inout SplitMix64) -> Self {
    let simple = { (random: inout SplitMix64) -> Self in
      switch random.below(4) {
      case 0: .greater("n", Int64(random.below(4)))
      case 1: .equal("city", random.pick(["Oslo", "Rome"]))
      case 2: .oneOf("n", [Int64(random.below(3)), Int64(3 + random.below(3))])
      default: .contains("tags", random.pick(["a", "b"]))
      }
    }
    switch random.below(6) {
    case 0: return .all
    case 1: return .not(simple(&random))
    case 2:
      return .both(
        .greater("n", Int64(random.below(4))),
        .equal("city", random.pick(["Oslo", "Rome"]))
      )
    default: return simple(&random)
    }
  }
}
