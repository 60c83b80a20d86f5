/// A verb of a program, or a program without verbs.
public struct Command: Sendable {
  /// The name of the verb, for example `fetch-records`.
  public let name: String
  /// Other names, for example `records get`.
  public let aliases: [String]
  /// One line of help.
  public let summary: String
  /// The operands as shown in help, for example `NAME…`; empty: none.
  public let operands: String
  /// What a shell completes operands with.
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

/// What a shell completes a word with.
public enum Completion: Hashable, Sendable {
  /// Nothing.
  case none
  /// Names of files.
  case files
  /// Names of folders.
  case folders
  /// Candidates that the program itself prints on request, by kind: `zones`.
  case live(String)
}
