/// A table that is printed row by row: its columns get wider, never narrower.
struct GrowingTable {
  private let header: [String]
  private var widths: [Int]
  private var hasHeader = false

  /// A table without rows.
  ///
  /// - Parameters:
  ///   - header: The names of the columns.
  ///   - widthsMin: The minimum widths of the columns, in cells, since later rows may be wider.
  init(_ header: [String], widthsMin: [Int] = []) {
    self.header = header
    let given = widthsMin.isEmpty ? header.map { _ in 0 } : widthsMin
    widths = zip(header, given).map { max(displayWidth($0), $1) }
  }

  /// Prints further rows, preceded by the header if they are the first.
  mutating func print(_ rows: [[String]], _ output: Output) {
    guard !rows.isEmpty else { return }
    let rows = rows.map { $0.map(printable) }
    for row in rows { widths = zip(widths, row).map { max($0, displayWidth($1)) } }
    if !hasHeader { output.write(head: Table.line(header, widths: widths)) }
    hasHeader = true
    output.write(text: rows.map { Table.line($0, widths: widths) }.joined())
  }
}
