internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  /// `--where`, the same for all verbs with a predicate.
  static let whereText = OptionKey<String?>(
    "where",
    value: "PREDICATE",
    "Which records; without it all of the type."
  )

  /// `--arg`, the same for all verbs with a predicate.
  static let argument = OptionKey<[String]>(
    list: "arg",
    value: "VALUE",
    "The next argument of the predicate (%@ or %K): JSON, or text as it is."
  )

  /// The predicate that `--where` and `--arg` say; `nil`: all records.
  static func predicate(_ invocation: Invocation) throws -> TidingsV1.Predicate? {
    let texts = invocation.arguments[argument]
    guard let text = invocation.arguments[whereText] else {
      if !texts.isEmpty { throw UsageError("--arg needs --where PREDICATE") }
      return nil
    }
    return .init(
      text: text,
      arguments: try texts.enumerated().map { index, text in
        try FieldValueJSON().value(try argument(text, invocation), "--arg \(index + 1)")
      }
    )
  }

  /// A bare word is a string; what begins as JSON does must be JSON, so that a slip is not saved as
  /// text.
  private static func argument(_ text: String, _ invocation: Invocation) throws -> JSONValue {
    let beginsAsJSON = ["{", "[", "\"", "@"].contains { text.hasPrefix($0) } || text == "-"
    if !beginsAsJSON { return (try? JSONValue(parsing: text)) ?? .string(text) }
    do {
      return try invocation.input.value(text, "--arg")
    } catch let error as UsageError {
      throw UsageError("\(error)\nA string in quotes is written --arg '\"text\"'.")
    }
  }
}
