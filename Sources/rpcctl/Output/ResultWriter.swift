internal import Synchronization
internal import TidingsJSON

/// What is to be written of results now.
struct ResultText {
  /// The head of a table.
  var head = ""
  var body = ""
  /// Results that failed and have no place in the body.
  var failures: [String] = []
}

/// Writes results in a notation, so that verbs need not know it.
final class ResultWriter: Sendable {
  enum Place { case single, oneOfMany }

  /// What results are where no notation is asked for.
  let usual: OutputFormat
  let notation: ResultNotation
  let fields: FieldSelection?
  /// What verbs are to make of their results for this notation.
  let format: OutputFormat
  private let state: Mutex<State>

  private struct State {
    var columns: ResultColumns
    /// Lines that become one document.
    var kept: [JSONValue] = []
    /// Documents were written.
    var hasDocument = false
    var isStream = false
    var count = 0
    /// Names of `--fields` that no result had so far.
    var missing: Set<String>
    /// What the last result has.
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

  /// Lines are written as verbs make them.
  var hasPlainLines: Bool {
    fields == nil && (notation == .jsonl || notation == .auto && usual == .jsonl)
  }

  /// Results come over a long time.
  func beginStream() {
    state.withLock { state in
      state.isStream = true
      state.columns.isStream = true
    }
  }

  /// Takes a list that is all there is.
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

  /// Takes a result.
  func add(_ value: JSONValue, _ place: Place) -> ResultText {
    state.withLock { state in
      note(value, &state)
      switch effective {
      case .table where fields == nil, .wide where fields == nil:
        // What a verb has no rows for.
        return ResultText(
          body: (place == .single ? value.prettyDescription : value.description) + "\n"
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
        if place == .single || state.isStream || effective == .yaml && fields == nil {
          return document(selected(value), &state)
        }
        guard fields != nil else { return ResultText(body: value.description + "\n") }
        // A list that comes in lines.
        state.kept.append(selected(value))
        return ResultText()
      }
    }
  }

  /// What was kept.
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

  /// What is to be known of the columns, at the end.
  var remark: String? {
    state.withLock { state in
      if state.columns.losesMembers {
        return "some results have more members than there are columns: --fields names them"
      }
      guard state.count > 0, let name = fields?.names.first(where: state.missing.contains) else {
        return nil
      }
      return "no result has '\(name)': there are \(state.paths.joined(separator: ", "))"
    }
  }

  /// The notation, where none was asked for too.
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

  /// What became of a result that failed.
  private static func failure(_ value: JSONValue) -> String? {
    guard let error = value.object?["error"]?.object else { return nil }
    let name = ResultName.name(of: value).map { printable($0) + ": " } ?? ""
    let code = error["name"]?.string ?? error["status"]?.string ?? "failed"
    let message = error["message"]?.string ?? ""
    return name + code + (message.isEmpty ? "" : ": \(printable(message))")
  }
}
