internal import CommandLineTools
internal import TidingsProto

extension Invocation {
  /// Fetches any number of records by name, each with its own result.
  ///
  /// - Parameters:
  ///   - ids: The names; at most 400 per call.
  ///   - desiredKeys: The fields; `nil`: all.
  ///   - session: The connection.
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
  /// Most items of a call, which every server accepts in any configuration.
  static let itemsPerCall = 400
}

extension TidingsV1.RecordResult {
  /// The record, if it exists.
  ///
  /// - Throws: `LocalFailure` for any other error.
  var storedRecord: TidingsV1.Record? {
    get throws {
      switch outcome {
      case .record(let record): return record
      case .error(let error) where error.code != .unknownItem && error.code != .zoneNotFound:
        throw LocalFailure("record '\(recordID?.recordName ?? "")': \(error.text)")
      default: return nil
      }
    }
  }
}
