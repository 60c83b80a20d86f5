internal import CommandLineTools
internal import TidingsProto

/// What a save compares, as verbs that save ask for it.
enum SavePolicyOption {
  private static let words: [(String, TidingsV1.SavePolicy)] = [
    ("if-unchanged", .ifServerRecordUnchanged), ("unchanged", .ifServerRecordUnchanged),
    ("changed-keys", .changedKeys), ("all-keys", .allKeys),
  ]

  private static let long = OptionKey<String?>(
    "save-policy",
    value: "POLICY",
    choices: words.map(\.0),
    "if-unchanged compares the change tag; changed-keys and all-keys compare nothing"
  )
  private static let short = OptionKey<String?>(
    "policy",
    value: "POLICY",
    choices: words.map(\.0),
    "The same as --save-policy."
  )

  /// `--save-policy`, and `--policy`, its short name.
  ///
  /// - Parameters:
  ///   - word: The default.
  ///   - help: What the words do, where that is not the usual.
  /// - Returns: The two options.
  static func options(default word: String, _ help: String? = nil) -> [Option] {
    [Option](of: long.described("\(help ?? long.option.help) (default: \(word))."), short)
  }

  /// The word of the command line, one for each policy.
  static func word(
    _ arguments: ParsedArguments,
    default word: String
  ) throws(UsageError) -> String {
    let given = [arguments[long], arguments[short]].compactMap(\.self)
    guard given.count < 2 else {
      throw UsageError("--policy is short for --save-policy: give one of them")
    }
    let found = given.first ?? word
    return found == "unchanged" ? "if-unchanged" : found
  }

  /// The policy that the command line says.
  static func policy(
    _ arguments: ParsedArguments,
    default word: String
  ) throws(UsageError) -> TidingsV1.SavePolicy {
    let found = try self.word(arguments, default: word)
    return words.first { $0.0 == found }?.1 ?? .ifServerRecordUnchanged
  }
}
