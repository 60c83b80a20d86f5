/// How results are written, as `--output` says.
enum ResultNotation: String, CaseIterable, Sendable {
  /// A table on a terminal, else JSON lines.
  case auto
  case table
  /// A table whose cells are not cut.
  case wide
  /// One document, indented.
  case json
  /// One value a line.
  case jsonl
  case yaml
  case csv
  /// The identifiers alone, one a line.
  case name

  static let names = allCases.map(\.rawValue)

  /// Errors are JSON too: a program reads them.
  var failsInJSON: Bool { [.json, .jsonl, .yaml, .csv].contains(self) }
}

/// What a verb makes of its results: rows, one document, or lines.
///
/// `Output` writes it in a notation.
enum OutputFormat: Sendable {
  case table
  case json
  case jsonl
}
