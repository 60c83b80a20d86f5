internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Zones that are saved and deleted together, and how that becomes calls.
struct ZoneModification: Sendable {
  /// What became of a zone.
  enum Event: Sendable {
    case saved(CKRecordZone, Result<CKRecordZone, CKError>)
    case deleted(CKRecordZone.ID, CKError?)
  }

  /// What became of all.
  struct Outcome: Sendable {
    var saved: [CKRecordZone] = []
    var deleted: [CKRecordZone.ID] = []
    var failed: [CKError.PartialError] = []
    /// A failure of a whole call.
    var failure: CKError?

    /// Why not all was done.
    var error: CKError? { failure ?? CKError.partial(failed) }
    /// Nothing was done.
    var isEmpty: Bool { saved.isEmpty && deleted.isEmpty }
  }

  var saving: [CKRecordZone]
  var deleting: [CKRecordZone.ID]

  /// Does it all, saves first; every zone is reported exactly once.
  func run(
    in database: CKDatabase,
    _ patience: Patience,
    _ tell: @Sendable (Event) -> Void
  ) async -> Outcome {
    var outcome = Outcome()
    func enter(_ event: Event) {
      switch event {
      case .saved(_, .success(let zone)): outcome.saved.append(zone)
      case .saved(let zone, .failure(let error)):
        outcome.failed.append(.init(id: .zone(zone.zoneID), error: error))
      case .deleted(let id, let error?):
        outcome.failed.append(.init(id: .zone(id), error: error))
      case .deleted(let id, nil): outcome.deleted.append(id)
      }
      tell(event)
    }
    let step = RecordModification.itemsPerCallMax
    let count = saving.count + deleting.count
    for start in stride(from: 0, to: count, by: step) {
      let zones = saving.dropFirst(start).prefix(step)
      let ids = deleting.dropFirst(max(0, start - saving.count)).prefix(step - zones.count)
      do {
        if let failure = outcome.failure { throw failure }
        let results = try await call(Array(zones), Array(ids), in: database, patience)
        for (zone, result) in zip(zones, results) { enter(.saved(zone, result.saved)) }
        for (id, result) in zip(ids, results.dropFirst(zones.count)) {
          enter(.deleted(id, result.deletionError))
        }
      } catch {
        let error = CKError(wrapping: error)
        outcome.failure = error
        for zone in zones { enter(.saved(zone, .failure(error))) }
        for id in ids { enter(.deleted(id, error)) }
      }
    }
    return outcome
  }

  private func call(
    _ zones: [CKRecordZone],
    _ ids: [CKRecordZone.ID],
    in database: CKDatabase,
    _ patience: Patience
  ) async throws -> [TidingsV1.ZoneResult] {
    let request = TidingsV1.ModifyRecordZonesRequest(
      databaseID: database.databaseID,
      zonesToSave: zones.map { .init(zoneID: $0.zoneID.wire) },
      zoneIDsToDelete: ids.map(\.wire)
    )
    let key = CallOptions.newIdempotencyKey()
    let results = try await database.call(patience, idempotencyKey: key) { (client, options) in
      try await client.zones.modifyRecordZones(request, options: options)
    }.results
    guard results.count == zones.count + ids.count else {
      throw CKError(.internalError, "the server's answer does not include all zones")
    }
    return results
  }
}
