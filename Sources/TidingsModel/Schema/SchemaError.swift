/// Why a text is no schema, with the place.
public struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong: what was found, and what is expected instead.
  public var message: String
  /// Where in the text, counted from 1.
  public var line: Int
  /// Where in the line, in characters counted from 1.
  public var column: Int
  /// The part of the line around the place, and under it a line with a caret.
  public var excerpt: String

  /// An error at a place in a text.
  init(_ message: String, at position: TextPosition) {
    self.message = message
    line = position.line
    column = position.column
    excerpt = position.excerpt
  }

  /// The place, the message and the excerpt.
  public var description: String { "line \(line), column \(column): \(message)\n\(excerpt)" }
}
