public import TidingsModel

/// Predicates and records over few fields and values, so that they meet often.
public struct RandomPredicates {
  public var random: SplitMix64

  private let recordTypes: [String]

  /// Predicates and records from a seed; the records are of the given types.
  public init(seed: UInt64, recordTypes: [String] = ["T"]) {
    self.recordTypes = recordTypes
    random = SplitMix64(seed: seed)
  }

  public static let fields = ["a", "b", "c", "IN", "recordName"]
  public static let strings: [String] = [
    "", "a", "ab", "abc", "b", "é", "e\u{301}", "\u{0}\n\"\\'", "😀", "a\u{7f}",
  ]
  public static let big: Int64 = 9_007_199_254_740_993

  public mutating func scalar() -> FieldValue {
    switch random.below(12) {
    case 0, 1: return .string(random.pick(Self.strings))
    case 2, 3, 4: return .int64(Int64(random.below(6)) - 1)
    case 5, 6: return .double(Double(random.below(12)) / 2 - 1)
    case 7: return .int64(random.pick([Self.big, Self.big - 1, .min, .max]))
    case 8:
      return .double(
        random.pick([Double(Self.big), 0x1p63, -0x1p63, -0.0, 1e300, Double.leastNonzeroMagnitude])
      )
    case 9: return .bytes(random.pick([[], [0], [0, 255], [1]]))
    case 10:
      return .timestamp(
        Timestamp(
          millisecondsSince1970: random.pick([-1, 0, 1, 1_767_323_045_678, -62_135_596_800_000])
        )
      )
    default:
      if Bool.random(using: &random) {
        return .location(Location(latitude: random.pick([0, -0.0, 48.5]), longitude: 11))
      }
      let id = RecordID(
        recordName: random.pick(["r", "s"]),
        zoneID: ZoneID(zoneName: random.pick(["z", "_defaultZone"]))
      )
      return .reference(Reference(recordID: id, action: random.pick([.none, .deleteSelf])))
    }
  }

  public mutating func value() -> FieldValue {
    switch random.below(8) {
    case 0: return .stringList((0..<random.below(3)).map { _ in random.pick(Self.strings) })
    case 1: return .int64List((0..<random.below(3)).map { _ in Int64(random.below(4)) })
    case 2: return .doubleList((0..<random.below(3)).map { _ in Double(random.below(6)) / 2 })
    default: return scalar()
    }
  }

  public mutating func comparison() -> Predicate.Comparison {
    let field = random.pick(Self.fields)
    func ordered(_ value: FieldValue) -> Bool {
      switch value {
      case .location, .reference: false
      default: true
      }
    }
    switch random.below(10) {
    case 0, 1: return .init(field: field, operator: .equal, values: [scalar()])
    case 2:
      return .init(field: field, operator: .in, values: (0...random.below(4)).map { _ in scalar() })
    case 3:
      return .init(
        field: field,
        operator: .beginsWith,
        values: [.string(random.pick(Self.strings))]
      )
    case 4: return .init(field: field, operator: .contains, values: [scalar()])
    case 5:
      let values = [Int64(random.below(5)), Int64(random.below(5))]
      return .init(
        field: field,
        operator: .between,
        values: [.int64(values[0]), .double(Double(values[1]))]
      )
    default:
      var value = scalar()
      while !ordered(value) { value = scalar() }
      let symbols: [Predicate.Comparison.Operator] = [
        .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
      ]
      return .init(field: field, operator: random.pick(symbols), values: [value])
    }
  }

  public mutating func node(depth: Int = 4) -> Predicate.Node {
    guard depth > 0 else { return .comparison(comparison()) }
    switch random.below(12) {
    case 0: return .constant(Bool.random(using: &random))
    case 1, 2: return .not(node(depth: depth - 1))
    case 3, 4, 5: return .and((0...random.below(3)).map { _ in node(depth: depth - 1) })
    case 6, 7, 8: return .or((0...random.below(3)).map { _ in node(depth: depth - 1) })
    default: return .comparison(comparison())
    }
  }

  public mutating func record() -> Record {
    var fields = RecordFields()
    for name in ["a", "b", "c", "IN"] where random.below(4) > 0 { fields[name] = value() }
    return Record(
      recordID: RecordID(recordName: random.pick(["a", "ab", "b"])),
      recordType: random.pick(recordTypes),
      fields: fields
    )
  }
}
