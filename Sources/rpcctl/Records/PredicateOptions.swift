internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  /// `--where`, shared by all verbs with a predicate.
  static let whereText = OptionKey<String?>(
    "where",
    value: "PREDICATE",
    "The predicate (default: all records of the type)."
  )

  /// `--arg`, shared by all verbs with a predicate.
  static let argument = OptionKey<[String]>(
    list: "arg",
    value: "VALUE",
    mayBeEmpty: true,
    "The next argument of the predicate (%@ or %K): JSON or plain text."
  )

  /// Returns the predicate of `--where` and `--arg`; `nil`: all records.
  static func predicate(_ invocation: Invocation) throws -> TidingsV1.Predicate? {
    let texts = invocation.arguments[argument]
    guard let text = invocation.arguments[whereText] else {
      if !texts.isEmpty { throw UsageError("--arg requires --where PREDICATE") }
      return nil
    }
    return .init(
      text: text,
      arguments: try texts.enumerated().map { index, text in
        try FieldValueJSON().value(try argument(text, invocation), "--arg \(index + 1)")
      }
    )
  }

  /// A bare word is a string; text that starts like JSON must be valid JSON, so that typos are not
  /// taken for strings.
  private static func argument(_ text: String, _ invocation: Invocation) throws -> JSONValue {
    let beginsAsJSON = ["{", "[", "\"", "@"].contains { text.hasPrefix($0) } || text == "-"
    if !beginsAsJSON { return (try? JSONValue(parsing: text)) ?? .string(text) }
    do {
      return try invocation.input.value(text, "--arg")
    } catch let error as UsageError {
      throw UsageError("\(error)\nFor a quoted string use --arg '\"text\"'.")
    }
  }
}
