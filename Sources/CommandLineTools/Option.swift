/// One option of a command: its spelling, its values and its help.
///
/// A program reads values with an ``OptionKey``, which is an option together with a type.
public struct Option: Hashable, Sendable {
  /// What values an option accepts.
  public enum Kind: Hashable, Sendable {
    /// No value.
    case flag
    /// Any text.
    case text
    /// One of these words.
    case choice([String])
    /// A whole number in a range.
    case number(ClosedRange<Int>)
    /// A duration: `500ms`, `10s`, `2m`, `1.5h`, or a number of seconds.
    case duration
  }

  /// The name without dashes, for example `log-level`.
  public let name: String
  /// A one-letter form, for example `o` for `-o`.
  public let letter: Character?
  /// The values that the option accepts.
  public let kind: Kind
  /// The value's name in help, for example `ENDPOINT`; empty for a flag.
  public let placeholder: String
  /// The value if neither the command line nor the environment has one.
  public let defaultValue: String?
  /// Whether the option is a list, to which each use adds.
  public let repeats: Bool
  /// Whether the option accepts all words up to the next option; such an option is a list.
  public let takesMany: Bool
  /// Whether an empty text is a value; one that names something is never empty.
  public let mayBeEmpty: Bool
  /// What a shell completes the value with, besides the words of a choice.
  public let completion: Completion
  /// One line of help.
  public let help: String

  /// An option of any kind.
  package init(
    _ name: String,
    letter: Character? = nil,
    _ kind: Kind,
    placeholder: String = "",
    default defaultValue: String? = nil,
    repeats: Bool = false,
    takesMany: Bool = false,
    mayBeEmpty: Bool = false,
    completion: Completion = .none,
    help: String
  ) {
    self.name = name
    self.letter = letter
    self.kind = kind
    self.placeholder = placeholder
    self.defaultValue = defaultValue
    self.repeats = repeats || takesMany
    self.takesMany = takesMany
    self.mayBeEmpty = mayBeEmpty
    self.completion = completion
    self.help = help
  }

  /// The name with its dashes.
  public var spelling: String { "--" + name }

  /// Whether the option has no value.
  public var isFlag: Bool { kind == .flag }

  /// The words of a choice; empty for other kinds.
  public var choices: [String] {
    if case .choice(let words) = kind { words } else { [] }
  }

  /// The option's environment variable, for example `RPCD_LOG_LEVEL`.
  public func variable(prefix: String) -> String {
    prefix + "_" + name.uppercased().replacing("-", with: "_")
  }

  /// Checks a value.
  ///
  /// - Parameters:
  ///   - value: The text.
  ///   - source: The source of the value in messages: `--timeout`, `RPCCTL_TIMEOUT`, or a line of a file.
  /// - Throws: An error with the accepted values.
  func check(_ value: String, from source: String) throws(UsageError) {
    switch kind {
    case .flag: return
    case .text:
      guard value.isEmpty, !mayBeEmpty else { return }
      throw UsageError("\(source) is empty: use \(spelling) \(placeholder)")
    case .choice(let words):
      guard !words.contains(value) else { return }
      throw UsageError(
        "\(source) takes \(words.joined(separator: ", ")), not '\(value)'"
          + didYouMean(value, among: words)
      )
    case .number(let range):
      if let number = Int(value), range.contains(number) { return }
      throw UsageError(
        "\(source) takes a whole number from \(range.lowerBound) to \(range.upperBound), "
          + "not '\(value)'"
      )
    case .duration:
      guard Duration(commandLine: value) == nil else { return }
      throw UsageError("\(source) takes a time like 500ms, 10s or 2m, not '\(value)'")
    }
  }
}
