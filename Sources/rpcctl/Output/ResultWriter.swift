internal import Synchronization
internal import TidingsJSON

/// Text of results that is ready to be written.
struct ResultText {
  /// The header of a table.
  var head = ""
  var body = ""
  /// Messages for failed results that are not in the body.
  var failures: [String] = []
}

/// Writes results in a notation, so that verbs are independent of it.
final class ResultWriter: Sendable {
  enum Kind { case single, oneOfMany }

  /// The form of results when no notation is requested.
  let usual: OutputFormat
  let notation: ResultNotation
  let fields: FieldSelection?
  /// The form in which verbs produce results for this notation.
  let format: OutputFormat
  private let state: Mutex<State>

  private struct State {
    var columns: ResultColumns
    /// Buffered lines, which become one document.
    var kept: [JSONValue] = []
    /// A document was written.
    var hasDocument = false
    var isStream = false
    var count = 0
    /// Names in `--fields` that no result had so far.
    var missing: Set<String>
    /// The paths of the last result.
    var paths: [String] = []
  }

  init(usual: OutputFormat, _ notation: ResultNotation, _ fields: FieldSelection?) {
    self.usual = usual
    self.notation = notation
    self.fields = fields
    format =
      switch notation {
      case .csv, .name: .jsonl
      case _ where fields != nil: .jsonl
      case .auto: usual
      case .table, .wide: .table
      case .json, .yaml: .json
      case .jsonl: .jsonl
      }
    state = Mutex(
      State(
        columns: ResultColumns(fields, isCSV: notation == .csv),
        missing: Set(fields?.names ?? [])
      )
    )
  }

  /// Lines are written unchanged.
  var hasPlainLines: Bool {
    fields == nil && (notation == .jsonl || notation == .auto && usual == .jsonl)
  }

  /// Starts a stream: more results may come much later.
  func beginStream() {
    state.withLock { state in
      state.isStream = true
      state.columns.isStream = true
    }
  }

  /// Adds a complete list of results.
  func add(_ list: [JSONValue]) -> ResultText {
    if effective == .json || effective == .yaml {
      let selected = list.map { value in
        state.withLock { note(value, &$0) }
        return fields?.select(from: value) ?? value
      }
      return state.withLock { document(.array(selected), &$0) }
    }
    return list.reduce(into: ResultText()) { text, value in
      let more = add(value, .oneOfMany)
      text.head += more.head
      text.body += more.body
      text.failures += more.failures
    }
  }

  /// Adds a result.
  func add(_ value: JSONValue, _ kind: Kind) -> ResultText {
    state.withLock { state in
      note(value, &state)
      switch effective {
      case .table where fields == nil, .wide where fields == nil:
        // A value for which the verb has no rows.
        return ResultText(
          body: (kind == .single ? value.prettyDescription : value.description) + "\n"
        )
      case .csv, .table, .wide, .auto:
        let text = state.columns.add(value)
        let failure = effective == .csv && fields == nil ? nil : Self.failure(value)
        return ResultText(head: text.head, body: text.lines, failures: failure.map { [$0] } ?? [])
      case .name:
        if let failure = Self.failure(value) { return ResultText(failures: [failure]) }
        return ResultText(body: ResultName.name(of: value).map { printable($0) + "\n" } ?? "")
      case .jsonl: return ResultText(body: selected(value).description + "\n")
      case .json, .yaml:
        if kind == .single || state.isStream || effective == .yaml && fields == nil {
          return document(selected(value), &state)
        }
        guard fields != nil else { return ResultText(body: value.description + "\n") }
        // A list whose elements arrive one by one.
        state.kept.append(selected(value))
        return ResultText()
      }
    }
  }

  /// Returns the buffered results.
  func finish() -> ResultText {
    state.withLock { state in
      let text = state.columns.finish()
      if !state.kept.isEmpty {
        defer { state.kept = [] }
        return document(.array(state.kept), &state)
      }
      return ResultText(head: text.head, body: text.lines)
    }
  }

  /// A note on the columns, at the end.
  var remark: String? {
    state.withLock { state in
      if state.columns.losesMembers {
        return "some results have members without a column: select them with --fields"
      }
      guard state.count > 0, let name = fields?.names.first(where: state.missing.contains) else {
        return nil
      }
      return "no result has '\(name)': use \(state.paths.joined(separator: ", "))"
    }
  }

  /// The notation, with auto resolved.
  private var effective: ResultNotation {
    guard notation == .auto else { return notation }
    switch usual {
    case .table: return .table
    case .json: return .json
    case .jsonl: return .jsonl
    }
  }

  private func selected(_ value: JSONValue) -> JSONValue { fields?.select(from: value) ?? value }

  private func document(_ value: JSONValue, _ state: inout State) -> ResultText {
    guard notation == .yaml else { return ResultText(body: value.prettyDescription + "\n") }
    defer { state.hasDocument = true }
    return ResultText(body: (state.hasDocument ? "---\n" : "") + YAMLText.document(value))
  }

  private func note(_ value: JSONValue, _ state: inout State) {
    guard fields != nil else { return }
    state.count += 1
    state.paths = FieldSelection.paths(of: value)
    for name in state.missing where FieldSelection.value(name, of: value) != nil {
      state.missing.remove(name)
    }
  }

  /// Returns the message for a failed result.
  private static func failure(_ value: JSONValue) -> String? {
    guard let error = value.object?["error"]?.object else { return nil }
    let name = ResultName.name(of: value).map { printable($0) + ": " } ?? ""
    let code = error["name"]?.string ?? error["status"]?.string ?? "failed"
    let message = error["message"]?.string ?? ""
    return name + code + (message.isEmpty ? "" : ": \(printable(message))")
  }
}
