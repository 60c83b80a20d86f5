internal import TidingsClient
internal import TidingsProto

/// Records that belong to one fetch, and how they become calls.
struct RecordFetch: Sendable {
  /// Called with the part of a record's files that was received, 0 to 1.
  typealias Progress = @Sendable (CKRecord.ID, Double) -> Void

  /// What became of all.
  struct Outcome: Sendable {
    var found: [CKRecord.ID: CKRecord] = [:]
    var failed: [CKError.PartialError] = []
    /// A failure of the fetch as a whole.
    var failure: CKError?

    /// Why not all were found.
    var error: CKError? { failure ?? CKError.partial(failed) }

    /// The results by id.
    var results: [CKRecord.ID: Result<CKRecord, any Error>] {
      var results = found.mapValues { Result<CKRecord, any Error>.success($0) }
      for case (.record(let id), let error) in failed.map({ ($0.id, $0.error) }) {
        results[id] = .failure(error)
      }
      return results
    }
  }

  var ids: [CKRecord.ID]
  /// Which fields; `nil`: all.
  var desiredKeys: [CKRecord.FieldKey]?

  /// Fetches them all; each record is reported exactly once.
  func run(
    in database: CKDatabase,
    _ patience: Patience,
    _ progress: @escaping Progress = { (_, _) in },
    _ tell: @Sendable (CKRecord.ID, Result<CKRecord, CKError>) -> Void
  ) async -> Outcome {
    var outcome = Outcome()
    func enter(_ id: CKRecord.ID, _ answer: Result<CKRecord, CKError>) {
      switch answer {
      case .success(let record): outcome.found[id] = record
      case .failure(let error): outcome.failed.append(.init(id: .record(id), error: error))
      }
      tell(id, answer)
    }
    var waiting = ids[...]
    while !waiting.isEmpty {
      let part = waiting.prefix(RecordModification.itemsPerCallMax)
      waiting = waiting.dropFirst(part.count)
      do {
        var late: [CKRecord.ID] = []
        for (id, result) in zip(part, try await call(Array(part), in: database, patience)) {
          if late.count < part.count - 1, result.isForAnotherCall {
            late.append(id)
          } else {
            enter(id, await database.receive(result) { progress(id, $0) })
          }
        }
        waiting = late + waiting
      } catch {
        outcome.failure = CKError(wrapping: error)
        for id in part + waiting { enter(id, .failure(CKError(wrapping: error))) }
        break
      }
    }
    return outcome
  }

  private func call(
    _ part: [CKRecord.ID],
    in database: CKDatabase,
    _ patience: Patience
  ) async throws -> [TidingsV1.RecordResult] {
    let request = TidingsV1.FetchRecordsRequest(
      databaseID: database.databaseID,
      recordIDs: part.map(\.wire),
      desiredKeys: desiredKeys.map { .init(keys: $0) }
    )
    let results = try await database.call(patience) { (client, options) in
      try await client.records.fetchRecords(request, options: options)
    }.results
    guard results.count == part.count else {
      throw CKError(.internalError, "the server's answer does not include all records")
    }
    return results
  }
}

extension TidingsV1.RecordResult {
  /// The answer was full before this record's turn came.
  fileprivate var isForAnotherCall: Bool {
    if case .error(let error)? = outcome { error.code == .limitExceeded } else { false }
  }
}
