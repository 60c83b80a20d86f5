internal import TidingsJSON

/// Rows of text in columns.
struct Table: CustomStringConvertible {
  let header: [String]
  private(set) var rows: [[String]] = []
  /// Lines below a row, by its index.
  private var notes: [Int: [String]] = [:]
  /// The minimum widths of the columns.
  private let widthsMin: [Int]

  /// A table without rows.
  ///
  /// - Parameters:
  ///   - header: The names of the columns.
  ///   - widthsMin: The minimum widths of the columns, in cells: those of the table that this continues.
  init(_ header: [String], widthsMin: [Int] = []) {
    self.header = header
    self.widthsMin = widthsMin.isEmpty ? header.map { _ in 0 } : widthsMin
  }

  /// Adds a row; control characters, which terminals interpret, are escaped.
  mutating func append(_ row: [String]) { rows.append(row.map(printable)) }

  /// Adds a row whose last cell may have several lines; the others are printed below the row.
  mutating func append(_ row: [String], lastCell: String) {
    var lines = lastCell.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    append(row + [lines.removeFirst()])
    if !lines.isEmpty { notes[rows.count - 1] = lines.map(printable) }
  }

  /// The header and the rows, each ending in a line break; empty without rows.
  var description: String { rows.isEmpty ? "" : lines(widths: widths) }

  /// The width of each column, in cells.
  var widths: [Int] {
    header.indices.map { column in
      ([header] + rows).map { displayWidth($0[column]) }.reduce(widthsMin[column], max)
    }
  }

  private func lines(widths: [Int]) -> String {
    var text = Self.line(header, widths: widths)
    for (index, row) in rows.enumerated() {
      text += Self.line(row, widths: widths)
      for note in notes[index] ?? [] { text += note + "\n" }
    }
    return text
  }

  /// Returns one line, its cells padded to the columns, except for the last.
  static func line(_ cells: [String], widths: [Int]) -> String {
    var line = ""
    for (cell, width) in zip(cells, widths) {
      line += cell + String(repeating: " ", count: max(0, width - displayWidth(cell)) + 2)
    }
    while line.last == " " { line.removeLast() }
    return line + "\n"
  }
}

/// Returns text with escapes for control characters and for characters that hide or reorder others.
func printable(_ text: String) -> String { text.terminalText() }

/// Returns the width of a text in cells of a terminal.
func displayWidth(_ text: String) -> Int {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
  return text.reduce(0) { $0 + ($1.isWide ? 2 : 1) }
}

extension Character {
  /// East Asian wide characters and emoji take two cells.
  fileprivate var isWide: Bool {
    guard let scalar = unicodeScalars.first else { return false }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return true
    default: return scalar.properties.isEmojiPresentation
    }
  }
}
