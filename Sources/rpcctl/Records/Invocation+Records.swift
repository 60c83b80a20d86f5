internal import CommandLineTools
internal import TidingsProto

extension Invocation {
  /// Records by name, each with its own result, however many there are.
  ///
  /// - Parameters:
  ///   - ids: Which ones; at most 400 go into a call.
  ///   - desiredKeys: Which fields; `nil`: all.
  ///   - session: Carries the calls.
  /// - Returns: The results in the order of the names.
  /// - Throws: `RPCError`.
  func fetch(
    _ ids: [TidingsV1.RecordID],
    desiredKeys: [String]? = nil,
    over session: Session
  ) async throws -> [TidingsV1.RecordResult] {
    let records = TidingsV1.RecordService.Client(session.transport)
    var results: [TidingsV1.RecordResult] = []
    var rest = ids[...]
    while !rest.isEmpty {
      let request = TidingsV1.FetchRecordsRequest(
        databaseID: settings.databaseID,
        recordIDs: Array(rest.prefix(Verb.itemsPerCall)),
        desiredKeys: desiredKeys.map { .init(keys: $0) }
      )
      results += try await records.fetchRecords(request, options: callOptions).results
      rest = rest.dropFirst(Verb.itemsPerCall)
    }
    return results
  }
}

extension Verb {
  /// Most items of a call: what every server takes, whatever it is set to.
  static let itemsPerCall = 400
}

extension TidingsV1.RecordResult {
  /// The record, if there is one.
  ///
  /// - Throws: `LocalFailure` for any other error than that there is none.
  var storedRecord: TidingsV1.Record? {
    get throws {
      switch outcome {
      case .record(let record): return record
      case .error(let error) where error.code != .unknownItem && error.code != .zoneNotFound:
        throw LocalFailure("the record '\(recordID?.recordName ?? "")': \(error.text)")
      default: return nil
      }
    }
  }
}
