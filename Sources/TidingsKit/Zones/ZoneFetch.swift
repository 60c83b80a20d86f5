internal import TidingsClient
internal import TidingsProto

/// Zones that are fetched together, and how that becomes calls.
struct ZoneFetch: Sendable {
  /// What became of all.
  struct Outcome: Sendable {
    var found: [CKRecordZone.ID: CKRecordZone] = [:]
    var failed: [CKError.PartialError] = []
    /// A failure of the fetch as a whole.
    var failure: CKError?

    /// Why not all were found.
    var error: CKError? { failure ?? CKError.partial(failed) }

    /// The results by id.
    var results: [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
      var results = found.mapValues { Result<CKRecordZone, any Error>.success($0) }
      for case (.zone(let id), let error) in failed.map({ ($0.id, $0.error) }) {
        results[id] = .failure(error)
      }
      return results
    }
  }

  /// Which zones; `nil`: all of the database.
  var ids: [CKRecordZone.ID]?

  /// Fetches them; every zone is reported exactly once.
  func run(
    in database: CKDatabase,
    _ patience: Patience,
    _ tell: @Sendable (CKRecordZone.ID, Result<CKRecordZone, CKError>) -> Void
  ) async -> Outcome {
    var outcome = Outcome()
    func enter(_ id: CKRecordZone.ID, _ answer: Result<CKRecordZone, CKError>) {
      switch answer {
      case .success(let zone): outcome.found[id] = zone
      case .failure(let error): outcome.failed.append(.init(id: .zone(id), error: error))
      }
      tell(id, answer)
    }
    guard let ids else {
      do {
        for result in try await call([], in: database, patience) {
          enter(.init(result.zoneID ?? .init()), result.saved)
        }
      } catch {
        outcome.failure = CKError(wrapping: error)
      }
      return outcome
    }
    var waiting = ids[...]
    while !waiting.isEmpty {
      let part = waiting.prefix(RecordModification.itemsPerCallMax)
      do {
        let results = try await call(Array(part), in: database, patience)
        guard results.count == part.count else {
          throw CKError(.internalError, "the server's answer does not include all zones")
        }
        for (id, result) in zip(part, results) { enter(id, result.saved) }
        waiting = waiting.dropFirst(part.count)
      } catch {
        let error = CKError(wrapping: error)
        outcome.failure = error
        for id in waiting { enter(id, .failure(error)) }
        break
      }
    }
    return outcome
  }

  private func call(
    _ part: [CKRecordZone.ID],
    in database: CKDatabase,
    _ patience: Patience
  ) async throws -> [TidingsV1.ZoneResult] {
    let request = TidingsV1.FetchRecordZonesRequest(
      databaseID: database.databaseID,
      zoneIDs: part.map(\.wire)
    )
    return try await database.call(patience) { (client, options) in
      try await client.zones.fetchRecordZones(request, options: options)
    }.results
  }
}
