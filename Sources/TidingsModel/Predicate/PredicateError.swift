/// Why a predicate is refused.
public struct PredicateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong: what was found, and what is expected instead.
  public var message: String
  /// Where in the text, counted from 1; `nil` for a tree.
  public var line: Int?
  /// Where in the line, in characters counted from 1; `nil` for a tree.
  public var column: Int?
  /// The part of the line around the place, and under it a line with a caret.
  public var excerpt: String?

  /// An error in a tree.
  init(_ message: String) { self.message = message }

  /// An error at a place in a text.
  ///
  /// - Parameters:
  ///   - message: What is wrong.
  ///   - text: The text, UTF-8.
  ///   - offset: The place, in bytes.
  init(_ message: String, in text: [UInt8], at offset: Int) {
    self.message = message
    let position = TextPosition(offset, in: text)
    line = position.line
    column = position.column
    excerpt = position.excerpt
  }

  /// The place, the message and the excerpt.
  public var description: String {
    guard let line, let column else { return message }
    return "line \(line), column \(column): \(message)\n\(excerpt ?? "")"
  }
}
