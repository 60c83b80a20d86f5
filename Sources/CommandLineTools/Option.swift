/// One option of a command: a flag, or a name with a value.
public struct Option: Hashable, Sendable {
  /// Without the dashes, for example `log-level`.
  public let name: String
  /// A one-letter form, for example `o` for `-o`.
  public let letter: Character?
  /// What help calls the value, for example `ENDPOINT`; `nil` for a flag.
  public let value: String?
  /// One line of help.
  public let help: String
  /// What counts when neither the command line nor the environment says anything.
  public let defaultValue: String?
  /// The values that are accepted; empty: any.
  public let choices: [String]
  /// The option may stand more than once.
  public let repeats: Bool
  /// The option takes all values up to the next option, at least one; such an option repeats.
  public let takesMany: Bool
  /// What a shell proposes for the value, besides `choices`.
  public let completion: Completion

  /// An option with a value.
  public init(
    _ name: String,
    letter: Character? = nil,
    value: String,
    default defaultValue: String? = nil,
    choices: [String] = [],
    repeats: Bool = false,
    takesMany: Bool = false,
    completion: Completion = .none,
    _ help: String
  ) {
    self.name = name
    self.letter = letter
    self.value = value
    self.help = help
    self.defaultValue = defaultValue
    self.choices = choices
    self.repeats = repeats || takesMany
    self.takesMany = takesMany
    self.completion = completion
  }

  /// A flag.
  public init(flag name: String, letter: Character? = nil, _ help: String) {
    self.name = name
    self.letter = letter
    self.help = help
    value = nil
    defaultValue = nil
    choices = []
    repeats = false
    takesMany = false
    completion = .none
  }

  /// The option's environment variable, for example `RPCD_LOG_LEVEL`.
  public func variable(prefix: String) -> String {
    prefix + "_" + name.uppercased().replacing("-", with: "_")
  }
}

/// A verb of a program, or a program without verbs.
public struct Command: Sendable {
  /// How it is called, for example `fetch-records`.
  public let name: String
  /// Further names for the same, for example `records get`.
  public let aliases: [String]
  /// One line of help.
  public let summary: String
  /// What help shows for its operands, for example `NAME…`; empty: it takes none.
  public let operands: String
  /// What a shell proposes for its operands.
  public let completion: Completion
  /// Its own options.
  public let options: [Option]
  /// Further help: paragraphs and examples.
  public let discussion: String

  /// A verb.
  public init(
    _ name: String,
    aliases: [String] = [],
    _ summary: String,
    operands: String = "",
    completion: Completion = .none,
    options: [Option] = [],
    discussion: String = ""
  ) {
    self.name = name
    self.aliases = aliases
    self.summary = summary
    self.operands = operands
    self.completion = completion
    self.options = options
    self.discussion = discussion
  }
}

/// What a shell proposes for a word.
public enum Completion: Hashable, Sendable {
  /// Nothing.
  case none
  /// Names of files.
  case files
  /// Names of folders.
  case folders
  /// What the program itself tells when it is asked, by the name of a kind: `zones`.
  case live(String)
}

/// A command line that does not say what it should.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what would be right.
  public let description: String

  /// An error in words.
  public init(_ description: String) { self.description = description }
}
