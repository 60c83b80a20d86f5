internal import TidingsJSON

/// Results that are written in columns, and buffered until all columns are known.
///
/// This value decides what is written; `Output` writes it.
struct ResultColumns {
  /// Most results that are buffered; after that, the columns are those seen so far.
  static let keptCountMax = 10_000

  private let selection: FieldSelection?
  private let isCSV: Bool
  /// Each result is written at once: the next may come much later.
  var isStream = false
  private var kept: [JSONValue] = []
  /// The columns that were written; `nil`: none yet.
  private var columns: [String]?
  private var widths: [Int] = []
  /// Some members have no column.
  private(set) var losesMembers = false

  init(_ selection: FieldSelection?, isCSV: Bool) {
    self.selection = selection
    self.isCSV = isCSV
  }

  /// Adds a result; returns what to write now: a header, if it is the first, and lines.
  mutating func add(_ value: JSONValue) -> (head: String, lines: String) {
    if columns != nil { return ("", line(value)) }
    kept.append(value)
    return isStream || kept.count >= Self.keptCountMax ? finish() : ("", "")
  }

  /// Returns the rest of the output.
  mutating func finish() -> (head: String, lines: String) {
    guard columns == nil, !kept.isEmpty else { return ("", "") }
    var seen: Set<String> = []
    let names =
      selection?.names
      ?? kept.flatMap(FieldSelection.paths).filter { seen.insert($0).inserted }
    columns = names
    if !isCSV {
      let rows = kept.map(cells)
      widths = names.indices.map { column in
        rows.map { displayWidth($0[column]) }.reduce(displayWidth(names[column]), max)
      }
    }
    defer { kept = [] }
    let head = isCSV ? CSVText.line(names) : Table.line(names.map(heading), widths: widths)
    return (head, kept.map { line($0) }.joined())
  }

  /// Table headers are in capitals.
  private func heading(_ name: String) -> String { name.uppercased() }

  private func cells(_ value: JSONValue) -> [String] {
    guard selection == nil else {
      return (columns ?? []).map { name in
        let cell = CSVText.cell(FieldSelection.value(name, of: value))
        return isCSV ? cell : printable(cell)
      }
    }
    let members = FieldSelection.flattened(value)
    return (columns ?? []).map { name in CSVText.cell(members.first { $0.name == name }?.value) }
  }

  private mutating func line(_ value: JSONValue) -> String {
    if selection == nil, let columns, !losesMembers {
      losesMembers = !FieldSelection.paths(of: value).allSatisfy(columns.contains)
    }
    let cells = cells(value)
    if isCSV { return CSVText.line(cells) }
    widths = zip(widths, cells).map { max($0, displayWidth($1)) }
    return Table.line(cells, widths: widths)
  }
}
