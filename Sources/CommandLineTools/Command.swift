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
