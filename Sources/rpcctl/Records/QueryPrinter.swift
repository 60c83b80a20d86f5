internal import TidingsJSON
internal import TidingsProto

/// Prints the records of a query, page by page.
struct QueryPrinter {
  /// Maximum width of a field in a table; longer values are truncated.
  private static let cellWidthMax = 48

  private let output: Output
  /// The requested fields; `nil`: all.
  private let keys: [String]?
  private let showsZones: Bool
  private var columns: [String] = []
  private var widths: [Int] = []
  /// With `--output json`, everything is one object.
  private var list: [JSONValue] = []
  private var count = 0

  init(output: Output, keys: [String]?, showsZones: Bool) {
    self.output = output
    self.keys = keys
    self.showsZones = showsZones
  }

  /// Prints a page.
  mutating func print(_ records: [TidingsV1.Record]) {
    count += records.count
    switch output.format {
    case .json: list += records.map { RecordJSON.json($0) }
    case .jsonl: for record in records { output.write(line: RecordJSON.json(record)) }
    case .table: printTable(records)
    }
  }

  /// Prints the cursor at the end.
  func finish(cursor: [UInt8]) {
    let text = cursor.isEmpty ? nil : Base64.encode(cursor)
    if output.format == .json {
      output.write(
        .omittingNil(["records": .array(list), "cursor": text.map { .string($0) }])
      )
    }
    if output.format == .table, count == 0 { output.log("no records") }
    guard let text, output.format != .json else { return }
    output.hint("more records: rpcctl query --cursor \(text)")
  }

  private mutating func printTable(_ records: [TidingsV1.Record]) {
    guard !records.isEmpty else { return }
    let names = keys ?? Set(records.flatMap(\.fields.keys)).sorted()
    let header = ["RECORD"] + (showsZones ? ["ZONE"] : []) + names
    let rows = records.map { cells($0, names) }
    // A page with the same fields as the previous one continues its table.
    guard header != columns else {
      grow(to: rows)
      return write(rows)
    }
    if !columns.isEmpty { output.write(text: "\n") }
    columns = header
    widths = columns.map(displayWidth)
    grow(to: rows)
    output.write(head: Table.line(columns, widths: widths))
    write(rows)
  }

  private mutating func grow(to rows: [[String]]) {
    for row in rows { widths = zip(widths, row).map { max($0, displayWidth($1)) } }
  }

  private func write(_ rows: [[String]]) {
    output.write(text: rows.map { Table.line($0, widths: widths) }.joined())
  }

  private func cells(_ record: TidingsV1.Record, _ names: [String]) -> [String] {
    let id = record.recordID ?? .init()
    let values = FieldValueJSON(zoneName: id.zoneID?.zoneName ?? "")
    let zone = showsZones ? [id.zoneID?.shownName ?? ZoneName.defaultZone] : []
    return [id.recordName] + zone
      + names.map { name in
        guard let value = record.fields[name] else { return "" }
        let json = values.shown(value, field: name, of: id)
        let text = printable(json.string ?? json.description)
        return !output.isWide && text.count > Self.cellWidthMax
          ? text.prefix(Self.cellWidthMax - 1) + "…" : text
      }
  }
}
