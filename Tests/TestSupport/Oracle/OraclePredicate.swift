public import TidingsProto

/// A predicate whose meaning is written down a second time, as plainly as possible.
public indirect enum OraclePredicate: Hashable, Sendable {
  public enum Relation: String, Hashable, Sendable, CaseIterable {
    case equal = "="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
  }

  /// What of a field is compared, and how.
  public struct Field: Hashable, Sendable {
    public enum Members: String, Hashable, Sendable {
      case none = ""
      case any = "ANY "
      case all = "ALL "
    }
    public var name: String
    public var members = Members.none
    public var ignoresCase = false

    public init(_ name: String) { self.name = name }
  }

  case all
  case none
  case compare(Field, Relation, TidingsV1.FieldValue)
  case between(Field, TidingsV1.FieldValue, TidingsV1.FieldValue)
  case oneOf(Field, [TidingsV1.FieldValue])
  case contains(String, TidingsV1.FieldValue)
  case near(String, TidingsV1.Location, metres: Double)
  case and([OraclePredicate])
  case or([OraclePredicate])
  case not(OraclePredicate)

  /// As clients send it.
  public var message: TidingsV1.Predicate {
    var arguments: [TidingsV1.FieldValue] = []
    let text = text(&arguments)
    return .init(text: text, arguments: arguments)
  }

  /// For people.
  public var brief: String {
    var message = message
    var text = ""
    for character in message.text {
      let isArgument = character == "@" && text.last == "%"
      if isArgument { text.removeLast() }
      text += isArgument ? message.arguments.removeFirst().brief : String(character)
    }
    return text
  }

  private func text(_ arguments: inout [TidingsV1.FieldValue]) -> String {
    func argument(_ value: TidingsV1.FieldValue) -> String {
      switch value.value {
      case .int64Value(let number): return "\(number)"
      case .stringValue(let text) where text.utf8.allSatisfy(isPlain): return "'\(text)'"
      default:
        arguments.append(value)
        return "%@"
      }
    }
    func isPlain(_ byte: UInt8) -> Bool {
      (0x20..<0x7f).contains(byte) && !"'\\".utf8.contains(byte)
    }
    switch self {
    case .all: return "TRUEPREDICATE"
    case .none: return "FALSEPREDICATE"
    case .compare(let field, let relation, let value):
      return "\(field.text) \(relation.rawValue)\(field.options) \(argument(value))"
    case .between(let field, let low, let high):
      return "\(field.text) BETWEEN {\(argument(low)), \(argument(high))}"
    case .oneOf(let field, let values):
      var texts: [String] = []
      for value in values { texts.append(argument(value)) }
      return "\(field.text) IN\(field.options) {\(texts.joined(separator: ", "))}"
    case .contains(let field, let value): return "\(field) CONTAINS \(argument(value))"
    case .near(let field, let location, let metres):
      let location = argument(.init(.locationValue(location)))
      return "distanceToLocation:fromLocation:(\(field), \(location)) < \(metres)"
    case .and(let operands): return joined(operands, " AND ", &arguments)
    case .or(let operands): return joined(operands, " OR ", &arguments)
    case .not(let operand): return "NOT (\(operand.text(&arguments)))"
    }
  }

  private func joined(
    _ operands: [Self],
    _ word: String,
    _ arguments: inout [TidingsV1.FieldValue]
  ) -> String {
    var texts: [String] = []
    for operand in operands { texts.append("(\(operand.text(&arguments)))") }
    return texts.joined(separator: word)
  }
}

extension OraclePredicate.Field {
  fileprivate var text: String { members.rawValue + name }
  fileprivate var options: String { ignoresCase ? "[c]" : "" }
}
