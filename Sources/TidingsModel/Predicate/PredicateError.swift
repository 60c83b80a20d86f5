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
    let newline = UInt8(ascii: "\n")
    let offset = min(offset, text.count)
    let start = text[..<offset].lastIndex(of: newline).map { $0 + 1 } ?? 0
    let end = text[offset...].firstIndex(of: newline) ?? text.count
    let before = String(decoding: text[start..<offset], as: UTF8.self)
    let after = String(decoding: text[offset..<end], as: UTF8.self)
    line = text[..<start].count { $0 == newline } + 1
    column = before.count + 1
    excerpt = Self.excerpt(before: before, after: after)
  }

  /// The place, the message and the excerpt.
  public var description: String {
    guard let line, let column else { return message }
    return "line \(line), column \(column): \(message)\n\(excerpt ?? "")"
  }

  private static func excerpt(before: String, after: String) -> String {
    let shownCountMax = 40
    let isCut = before.count > shownCountMax
    let head = (isCut ? "…" : "") + before.suffix(shownCountMax)
    let tail = after.prefix(shownCountMax) + (after.count > shownCountMax ? "…" : "")
    // A tab stays a tab, so that the caret stands where the eye sees the place.
    let indent = String(head.map { $0 == "\t" ? "\t" : " " })
    return "  \(head)\(tail)\n  \(indent)^"
  }
}
