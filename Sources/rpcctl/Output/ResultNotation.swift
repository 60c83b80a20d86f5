/// The notation of results: `--output`.
enum ResultNotation: String, CaseIterable, Sendable {
  /// A table on a terminal, JSON lines otherwise.
  case auto
  case table
  /// A table whose cells are not truncated.
  case wide
  /// One document, indented.
  case json
  /// One value per line.
  case jsonl
  case yaml
  case csv
  /// The identifiers alone, one per line.
  case name

  static let names = allCases.map(\.rawValue)

  /// Errors are JSON too, because a program reads them.
  var failsInJSON: Bool { [.json, .jsonl, .yaml, .csv].contains(self) }
}

/// The form in which a verb produces its results: rows, one document, or lines.
///
/// `Output` writes it in a notation.
enum OutputFormat: Sendable {
  case table
  case json
  case jsonl
}
