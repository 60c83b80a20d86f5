internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// Why a line of a file was not imported.
enum ImportFailure: Sendable {
  /// The line is not a valid record.
  case line(String)
  /// The server rejected the record.
  case item(TidingsV1.ItemError, recordName: String)
  /// The server rejected a call with this record alone.
  case call(RPCError)

  /// The target of a reference does not exist yet; it may follow later in the file.
  var isMissingTarget: Bool {
    if case .item(let error, _) = self { error.code == .referenceViolation } else { false }
  }

  /// The failure as text.
  var text: String {
    switch self {
    case .line(let reason): reason
    case .item(let error, let name): "record '\(name)': \(error.text)"
    case .call(let error): "\(error)"
    }
  }

  /// The failure as JSON, one line of `--errors FILE`.
  func json(line: Int) -> JSONValue {
    switch self {
    case .line(let reason):
      .object(["line": .integer(line), "error": .object(["message": .string(reason)])])
    case .item(let error, let name):
      .object([
        "line": .integer(line), "recordName": .string(name), "error": error.json,
      ])
    case .call(let error):
      .object([
        "line": .integer(line),
        "error": .object([
          "status": .string("\(error.code)"), "message": .string(error.message),
        ]),
      ])
    }
  }
}
