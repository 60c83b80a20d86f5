internal import Foundation
internal import TidingsProto

/// A format as the server reads it: every place of a value is `%@`, of a name `%K`.
struct FormatText {
  var format: String
  var arguments: [TidingsV1.FieldValue] = []
}

extension FormatText {
  /// What was written, with `%d` and its like as `%@`; what is in quotes stays as it is.
  ///
  /// It is read scalar by scalar, as the server reads it: a mark that combines with a quote is in the literal.
  init(_ source: PredicateSource) throws {
    self.init(format: "")
    var rest = source.format.unicodeScalars[...]
    var values = source.arguments[...]
    var quote: Unicode.Scalar?
    while let scalar = rest.popFirst() {
      format.unicodeScalars.append(scalar)
      if let open = quote {
        if scalar == "\\", let escaped = rest.popFirst() { format.unicodeScalars.append(escaped) }
        if scalar == open { quote = nil }
      } else if scalar == "\"" || scalar == "'" {
        quote = scalar
      } else if scalar == "%" {
        let position = try Self.position(&rest, in: source.format)
        let number = arguments.count + 1
        guard let value = values.popFirst() else {
          throw CKError(
            .invalidArguments,
            "the predicate \(source.format) has no argument for its place \(number): give one for "
              + "each %@, %K, %d …"
          )
        }
        format.append(position.rawValue)
        let context = "argument \(number) of the predicate \(source.format)"
        arguments.append(try position.value(value, context))
      }
    }
    guard values.isEmpty else {
      throw CKError(
        .invalidArguments,
        "the predicate \(source.format) has \(arguments.count) places and "
          + "\(source.arguments.count) arguments"
      )
    }
  }

  /// What a place takes.
  private enum Position: Character {
    case value = "@"
    case name = "K"

    func value(_ argument: Any, _ context: String) throws -> TidingsV1.FieldValue {
      switch self {
      case .value: return try PredicateArgument(argument, context).wire
      case .name:
        let name = try? PredicateArgument(argument, context).wire
        guard let name, case .stringValue? = name.value else {
          throw CKError(.invalidArguments, "\(context) is no name of a field, and %K takes one")
        }
        return name
      }
    }
  }

  /// Reads what stands behind a `%`: as in printf, flags, a width, a precision, a length and a letter.
  private static func position(
    _ rest: inout Substring.UnicodeScalarView,
    in format: String
  ) throws -> Position {
    while let next = rest.first, "-+ #0123456789.*hlLqjzt".unicodeScalars.contains(next) {
      rest.removeFirst()
    }
    switch rest.popFirst() {
    case "@"?: return .value
    case "K"?: return .name
    case let letter? where "diuoxXDUOfFeEgGaAcCsSp".unicodeScalars.contains(letter): return .value
    case let other:
      throw CKError(
        .invalidArguments,
        "%\(other.map { String($0) } ?? "") in the predicate \(format) is not a placeholder: use %@ for a "
          + "value, %K for the name of a field, %d or %f for a number"
      )
    }
  }
}
