internal import Foundation
internal import Synchronization
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// The calls of a sync engine: each once, as the engine decides itself when to try again.
extension CKDatabase {
  /// What the server answers.
  func answer(_ question: SyncQuestion) async -> SyncAnswer {
    switch question {
    case .user: .user(await result { try await syncUser() })
    case .databaseChanges(let token):
      .databaseChanges(await result { try await syncDatabaseChanges(token) })
    case .zoneChanges(let zone, let token):
      .zoneChanges(await result { try await syncZoneChanges(zone, token) })
    case .modifyZones(let saving, let deleting, let key):
      .modifiedZones(await syncZones(saving, deleting, key))
    case .modifyRecords(let batch): .modifiedRecords(await syncRecords(batch))
    case .fetchOptions(let context): .fetchOptions(context.options)
    case .batch: .batch(nil)
    }
  }

  private func result<Value>(
    _ body: () async throws -> Value
  ) async -> Result<Value, CKError> {
    do {
      return .success(try await body())
    } catch {
      return .failure(CKError(wrapping: error))
    }
  }

  /// Each call is tried once.
  private var onceOnly: Patience {
    let configuration = CKOperation.Configuration()
    configuration.timeoutIntervalForResource = 0
    return Patience(configuration)
  }

  private func syncUser() async throws -> String? {
    let answer = try await link.fetchAccountStatus(CallOptions(timeout: onceOnly.request))
    return answer.userRecordName.isEmpty ? nil : answer.userRecordName
  }

  private func syncDatabaseChanges(_ token: [UInt8]) async throws -> SyncAnswer.DatabasePage {
    let request = TidingsV1.FetchDatabaseChangesRequest(databaseID: databaseID, changeToken: token)
    let page = try await call(onceOnly) { (client, options) in
      try await client.pageLimits.databaseChanges(request, client, options)
    }
    return SyncAnswer.DatabasePage(
      changed: page.changedZoneIDs.map { .init($0) },
      deleted: page.deletedZones.map {
        .init(zoneID: .init($0.zoneID ?? .init()), reason: .init($0.reason))
      },
      token: page.changeToken,
      moreComing: page.moreComing
    )
  }

  private func syncZoneChanges(
    _ zone: CKRecordZone.ID,
    _ token: [UInt8]
  ) async throws -> SyncAnswer.ZonePage {
    let request = TidingsV1.FetchRecordZoneChangesRequest(
      databaseID: databaseID,
      zones: [.init(zoneID: zone.wire, changeToken: token)]
    )
    let answer = try await call(onceOnly) { (client, options) in
      try await client.pageLimits.zoneChanges(request, client, options)
    }
    guard let changes = answer.zones.first else {
      throw CKError(.internalError, "the server's answer does not include zone \(zone.zoneName)")
    }
    if let error = changes.error { throw CKError(error) }
    var page = SyncAnswer.ZonePage(token: changes.changeToken, moreComing: changes.moreComing)
    for record in changes.changedRecords { page.saved.append(try await syncReceived(record)) }
    page.deleted = changes.deletedRecords.map {
      .init(recordID: .init($0.recordID ?? .init()), recordType: $0.recordType)
    }
    return page
  }

  /// A record with its files.
  private func syncReceived(_ record: TidingsV1.Record) async throws -> CKRecord {
    do {
      return try await receive(record)
    } catch {
      // Is it the connection, the page is fetched again; otherwise one lost file must not stop all.
      _ = try await syncUser()
      try Task.checkCancellation()
      return try await receive(record, wantsFiles: false)
    }
  }

  // MARK: Sending

  private func syncZones(
    _ saving: [CKRecordZone],
    _ deleting: [CKRecordZone.ID],
    _ key: String
  ) async -> CKSyncEngine.Event.SentDatabaseChanges {
    let request = TidingsV1.ModifyRecordZonesRequest(
      databaseID: databaseID,
      zonesToSave: saving.map { .init(zoneID: $0.zoneID.wire) },
      zoneIDsToDelete: deleting.map(\.wire)
    )
    let answer = await result {
      try await call(onceOnly, idempotencyKey: key) { (client, options) in
        try await client.zones.modifyRecordZones(request, options: options)
      }.results
    }
    let missing = CKError(.internalError, "the server's answer does not include this zone")
    func failure(_ index: Int) -> CKError? {
      guard let results = answer.success else { return answer.failure }
      guard index < results.count else { return missing }
      if case .error(let error)? = results[index].outcome { return CKError(error) }
      return results[index].outcome == nil ? missing : nil
    }
    var saved: [CKRecordZone] = []
    var failedSaves: [CKSyncEngine.Event.SentDatabaseChanges.FailedZoneSave] = []
    for (index, zone) in saving.enumerated() {
      if let error = failure(index) {
        failedSaves.append(.init(zone: zone, error: error))
      } else {
        saved.append(zone)
      }
    }
    var deleted: [CKRecordZone.ID] = []
    var failedDeletes: [CKRecordZone.ID: CKError] = [:]
    for (index, id) in deleting.enumerated() {
      if let error = failure(saving.count + index) {
        failedDeletes[id] = error
      } else {
        deleted.append(id)
      }
    }
    return .init(
      savedZones: saved,
      failedZoneSaves: failedSaves,
      deletedZoneIDs: deleted,
      failedZoneDeletes: failedDeletes
    )
  }

  private func syncRecords(
    _ batch: CKSyncEngine.RecordZoneChangeBatch
  ) async -> CKSyncEngine.Event.SentRecordZoneChanges {
    typealias FailedSave = CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave
    let modification = RecordModification(
      saving: batch.recordsToSave,
      deleting: batch.recordIDsToDelete,
      policy: .ifServerRecordUnchanged,
      isAtomic: batch.atomicByZone
    )
    let failed = Mutex<(saves: [FailedSave], deletes: [CKRecord.ID: CKError])>(([], [:]))
    let outcome = await modification.run(in: self, onceOnly) { event in
      failed.withLock { failed in
        switch event {
        case .saved(let record, let error?):
          failed.saves.append(.init(record: record, error: error))
        case .deleted(let id, let error?): failed.deletes[id] = error
        default: break
        }
      }
    }
    let (saves, deletes) = failed.withLock { $0 }
    return .init(
      savedRecords: outcome.saved,
      failedRecordSaves: saves,
      deletedRecordIDs: outcome.deleted,
      failedRecordDeletes: deletes
    )
  }
}
