/// A table that is printed while it grows: its columns never get narrower.
struct GrowingTable {
  private let header: [String]
  private var widths: [Int]
  private var hasHeader = false

  init(_ header: [String]) {
    self.header = header
    widths = header.map(displayWidth)
  }

  /// The text of further rows, behind the header if these are the first.
  mutating func text(of rows: [[String]]) -> String {
    guard !rows.isEmpty else { return "" }
    let rows = rows.map { $0.map(printable) }
    for row in rows { widths = zip(widths, row).map { max($0, displayWidth($1)) } }
    let lines = hasHeader ? rows : [header] + rows
    hasHeader = true
    return lines.map { Table.line($0, widths: widths) }.joined()
  }
}
