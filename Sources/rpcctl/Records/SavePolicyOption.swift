internal import CommandLineTools
internal import TidingsProto

/// `--save-policy`: how a save detects conflicts.
enum SavePolicyOption {
  private static let words: [(String, TidingsV1.SavePolicy)] = [
    ("if-unchanged", .ifServerRecordUnchanged), ("unchanged", .ifServerRecordUnchanged),
    ("changed-keys", .changedKeys), ("all-keys", .allKeys),
  ]

  private static let long = OptionKey<String?>(
    "save-policy",
    value: "POLICY",
    choices: words.map(\.0),
    "The conflict check: if-unchanged compares the change tag; changed-keys and all-keys do not"
  )
  private static let short = OptionKey<String?>(
    "policy",
    value: "POLICY",
    choices: words.map(\.0),
    "Same as --save-policy."
  )

  /// `--save-policy`, and `--policy`, its short name.
  ///
  /// - Parameters:
  ///   - word: The default.
  ///   - help: The help, if it differs from the usual.
  /// - Returns: The two options.
  static func options(default word: String, _ help: String? = nil) -> [Option] {
    [Option](of: long.described("\(help ?? long.option.help) (default: \(word))."), short)
  }

  /// The words of the command line, one for each policy.
  static func word(
    _ arguments: ParsedArguments,
    default word: String
  ) throws(UsageError) -> String {
    let given = [arguments[long], arguments[short]].compactMap(\.self)
    guard given.count < 2 else {
      throw UsageError("--policy is the same as --save-policy: use one of them")
    }
    let found = given.first ?? word
    return found == "unchanged" ? "if-unchanged" : found
  }

  /// Returns the policy of the command line.
  static func policy(
    _ arguments: ParsedArguments,
    default word: String
  ) throws(UsageError) -> TidingsV1.SavePolicy {
    let found = try self.word(arguments, default: word)
    return words.first { $0.0 == found }?.1 ?? .ifServerRecordUnchanged
  }
}
