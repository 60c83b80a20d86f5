/// A place in a text, as people look for it.
struct TextPosition {
  /// Counted from 1.
  let line: Int
  /// In characters of the line, counted from 1.
  let column: Int
  /// The part of the line around the place, and under it a line with a caret.
  let excerpt: String

  /// The place at an offset.
  ///
  /// - Parameters:
  ///   - offset: In bytes.
  ///   - text: The text, UTF-8.
  init(_ offset: Int, in text: [UInt8]) {
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
