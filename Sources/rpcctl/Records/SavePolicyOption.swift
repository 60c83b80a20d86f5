internal import CommandLineTools
internal import TidingsProto

/// `--save-policy`: how a save detects conflicts.
enum SavePolicyOption {
  /// The contract's names, and shorter ones of the first.
  private static let words: [(String, TidingsV1.SavePolicy)] =
    TidingsV1.SavePolicy.allCases.filter { $0 != .unspecified }.map { (name($0), $0) } + [
      ("if-unchanged", .ifServerRecordUnchanged), ("unchanged", .ifServerRecordUnchanged),
    ]

  private static func name(_ policy: TidingsV1.SavePolicy) -> String {
    Contract.shortName(policy, "SAVE_POLICY_").lowercased().replacing("_", with: "-")
  }

  private static let long = OptionKey<String?>(
    "save-policy",
    value: "POLICY",
    choices: words.map(\.0),
    "The conflict check: if-unchanged compares the change tag; changed-keys and all-keys do not; "
      + "replace-if-unchanged and replace do, or do not, and remove the fields that are not sent"
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

  /// The contract's name of the policy of the command line.
  static func word(
    _ arguments: ParsedArguments,
    default word: String
  ) throws(UsageError) -> String {
    let given = [arguments[long], arguments[short]].compactMap(\.self)
    guard given.count < 2 else {
      throw UsageError("--policy is the same as --save-policy: use one of them")
    }
    let policy = policy(named: given.first ?? word)
    return name(policy)
  }

  /// Returns the policy of the command line.
  static func policy(
    _ arguments: ParsedArguments,
    default word: String
  ) throws(UsageError) -> TidingsV1.SavePolicy {
    policy(named: try self.word(arguments, default: word))
  }

  private static func policy(named word: String) -> TidingsV1.SavePolicy {
    words.first { $0.0 == word }?.1 ?? .ifServerRecordUnchanged
  }
}
