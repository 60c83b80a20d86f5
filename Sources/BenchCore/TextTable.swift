/// Cells in columns, for people.
enum TextTable {
  /// Pads cells to columns: words to the left, numbers to the right.
  ///
  /// - Parameter rows: The first one has a cell for each column.
  /// - Returns: A line for each row.
  static func lines(_ rows: [[String]]) -> [String] {
    guard let titles = rows.first else { return [] }
    let widths = titles.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in
        let padding = String(repeating: " ", count: width - cell.count)
        let isNumber = cell.first.map { $0.isNumber || "≤≥-".contains($0) } ?? false
        return isNumber ? padding + cell : cell + padding
      }
      let line = cells.joined(separator: "  ")
      return String(
        line.prefix(upTo: line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)
      )
    }
  }
}
