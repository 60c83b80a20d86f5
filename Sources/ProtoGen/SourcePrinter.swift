/// Collects lines of source text and knows how deep they are indented.
struct SourcePrinter {
  private(set) var text = ""
  private var depth = 0
  private let step: String

  /// A printer that indents with so many blanks.
  init(indentation: Int = 2) { step = String(repeating: " ", count: indentation) }

  /// Adds a line; an empty one stays empty.
  mutating func line(_ line: String = "") {
    if !line.isEmpty { text += String(repeating: step, count: depth) + line }
    text += "\n"
  }

  /// Adds a line that opens a block, the block one step deeper, and its end.
  mutating func block<E: Error>(
    _ opening: String,
    end: String = "}",
    _ body: (inout SourcePrinter) throws(E) -> Void
  ) throws(E) {
    line(opening)
    try indented(body)
    line(end)
  }

  /// Adds lines one step deeper.
  mutating func indented<E: Error>(
    _ body: (inout SourcePrinter) throws(E) -> Void
  ) throws(E) {
    depth += 1
    defer { depth -= 1 }
    try body(&self)
  }

  /// Adds a documentation comment.
  mutating func documentation(_ lines: [String]) {
    for line in lines { self.line(line.isEmpty ? "///" : "/// " + line) }
  }
}
