import Foundation
import Synchronization
import TestSupport
import Testing
import TidingsKit

/// How operations behave on queues, whatever they do.
@Suite(.endsServers) struct OperationTests {
  private func records(_ count: Int, in zone: CKRecordZone.ID = .default) -> [CKRecord] {
    (0..<count).map { number in
      let id = CKRecord.ID(recordName: "record \(number)", zoneID: zone)
      let record = CKRecord(recordType: "Items", recordID: id)
      record["number"] = number
      return record
    }
  }

  /// Runs a save, counting what is notified of each record.
  private func save(
    _ records: [CKRecord],
    _ database: CKDatabase,
    isAtomic: Bool = true,
    onRecord: (@Sendable (CKModifyRecordsOperation) -> Void)? = nil
  ) async -> (reported: [CKRecord.ID: Int], ends: Int, error: CKError?) {
    let reported = Mutex<[CKRecord.ID: Int]>([:])
    let ends = Mutex(0)
    let operation = CKModifyRecordsOperation(recordsToSave: records)
    operation.isAtomic = isAtomic
    operation.perRecordSaveBlock = { [weak operation] id, _ in
      #expect(ends.withLock { $0 } == 0)
      reported.withLock { $0[id, default: 0] += 1 }
      if let operation { onRecord?(operation) }
    }
    let error: (any Error)? = await withCheckedContinuation { waiting in
      let result = Mutex<(any Error)?>(nil)
      operation.modifyRecordsCompletionBlock = { _, _, error in
        ends.withLock { $0 += 1 }
        result.withLock { $0 = error }
      }
      operation.completionBlock = { waiting.resume(returning: result.withLock { $0 }) }
      database.add(operation)
    }
    return (reported.withLock { $0 }, ends.withLock { $0 }, error as? CKError)
  }

  @Test("blocks append to what they capture: they are called one after another")
  func capturing() async throws {
    let database = try await KitServer().container().privateCloudDatabase
    let records = records(20)
    let saved: [CKRecord.ID] = await withCheckedContinuation { waiting in
      var saved: [CKRecord.ID] = []
      let operation = CKModifyRecordsOperation(recordsToSave: records)
      operation.perRecordSaveBlock = { id, result in
        if case .success = result { saved.append(id) }
      }
      operation.modifyRecordsResultBlock = { _ in waiting.resume(returning: saved) }
      database.add(operation)
    }
    #expect(Set(saved) == Set(records.map(\.recordID)) && saved.count == 20)
  }

  @Test("a thousand records are sent in several calls, each reported of once")
  func largeBatch() async throws {
    let database = try await KitServer().container().privateCloudDatabase
    let zone = try await database.save(CKRecordZone(zoneName: "Many"))
    let inDefault = await save(records(1000), database)
    #expect(inDefault.error == nil && inDefault.ends == 1)
    #expect(inDefault.reported.count == 1000 && Set(inDefault.reported.values) == [1])
    let apart = await save(records(1000, in: zone.zoneID), database, isAtomic: false)
    #expect(apart.error == nil && apart.reported.count == 1000)
    // Another atomic batch of the zone would have to be one call.
    let whole = await save(records(1000, in: zone.zoneID), database)
    #expect(whole.error?.code == .limitExceeded)
    #expect(whole.reported.count == 1000 && whole.ends == 1)

    let ids = records(1000).map(\.recordID)
    let fetched = try await database.records(for: ids, desiredKeys: ["number"])
    #expect(fetched.values.count { (try? $0.get()) != nil } == 1000)
    let (_, deleted) = try await database.modifyRecords(saving: [], deleting: ids)
    #expect(deleted.count == 1000)
  }

  @Test("one bad record of an atomic batch fails by itself, the others with the batch")
  func itemErrors() async throws {
    let database = try await KitServer().container().privateCloudDatabase
    let zone = try await database.save(CKRecordZone(zoneName: "Atomic")).zoneID
    let good = records(3, in: zone)
    try await database.save(good[0])
    let stale = CKRecord(recordType: "Items", recordID: good[0].recordID)
    stale["number"] = 7
    let result = await save([stale, good[1], good[2]], database)
    #expect(result.error?.code == .partialFailure)
    let errors = result.error?.partialErrorsByItemID?.mapValues { ($0 as? CKError)?.code }
    #expect(errors?[stale.recordID] == .serverRecordChanged)
    #expect(errors?[good[1].recordID] == .batchRequestFailed)
    #expect(errors?[good[2].recordID] == .batchRequestFailed)
    let apart = await save([stale, good[1], good[2]], database, isAtomic: false)
    #expect(apart.error?.partialErrorsByItemID?.count == 1)
  }

  @Test("one conflict among 401 saves in the default zone fails itself, however they are sent")
  func defaultZone() async throws {
    let kit = try await KitServer()
    let container = kit.container()
    for scope in [container.privateCloudDatabase, container.publicCloudDatabase] {
      let all = records(401)
      try await scope.save(all[7])
      let stale = CKRecord(recordType: "Items", recordID: all[7].recordID)
      stale["number"] = -1
      var sent = all
      sent[7] = stale
      let result = await save(sent, scope)
      #expect(result.reported.count == 401 && result.ends == 1)
      #expect(result.error?.code == .partialFailure)
      let errors = result.error?.partialErrorsByItemID?.mapValues { ($0 as? CKError)?.code }
      #expect(errors == [stale.recordID: .serverRecordChanged])
      let fetched = try await scope.records(for: all.map(\.recordID), desiredKeys: ["number"])
      #expect(fetched.values.count { (try? $0.get()) != nil } == 401)
    }
  }

  @Test("an operation that is cancelled before it begins reports only that")
  func cancelledBefore() async throws {
    let database = try await KitServer().container().privateCloudDatabase
    let zone = CKRecordZone(zoneName: "Never")
    let reported = Mutex<[String]>([])
    let query = CKQueryOperation(query: .init(recordType: "Items", predicate: .init(value: true)))
    query.queryCompletionBlock = { _, error in
      reported.withLock { $0.append("query \(Self.code(error))") }
    }
    let changes = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zone.zoneID])
    changes.fetchRecordZoneChangesResultBlock = { result in
      reported.withLock { $0.append("changes \(Self.code(result))") }
    }
    let databaseChanges = CKFetchDatabaseChangesOperation(previousServerChangeToken: nil)
    databaseChanges.fetchDatabaseChangesResultBlock = { result in
      reported.withLock { $0.append("database \(Self.code(result))") }
    }
    let zones = CKModifyRecordZonesOperation(recordZonesToSave: [zone])
    zones.modifyRecordZonesResultBlock = { result in
      reported.withLock { $0.append("zones \(Self.code(result))") }
    }
    let all = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
    all.fetchRecordZonesResultBlock = { result in
      reported.withLock { $0.append("all \(Self.code(result))") }
    }
    let fetch = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "a")])
    fetch.fetchRecordsResultBlock = { result in
      reported.withLock { $0.append("fetch \(Self.code(result))") }
    }
    let modify = CKModifyRecordsOperation(recordsToSave: records(1))
    modify.modifyRecordsResultBlock = { result in
      reported.withLock { $0.append("modify \(Self.code(result))") }
    }
    for operation in [query, changes, databaseChanges, zones, all, fetch, modify] {
      await withCheckedContinuation { waiting in
        operation.completionBlock = { waiting.resume() }
        operation.cancel()
        database.add(operation)
      }
    }
    let kinds = ["all", "changes", "database", "fetch", "modify", "query", "zones"]
    #expect(reported.withLock { $0 }.sorted() == kinds.map { "\($0) operationCancelled" })
    #expect(try await database.allRecordZones().count == 1)
  }

  private static func code(_ error: (any Error)?) -> String {
    (error as? CKError).map { "\($0.code)" } ?? "none"
  }

  private static func code<Value>(_ result: Result<Value, any Error>) -> String {
    if case .failure(let error) = result { code(error) } else { "none" }
  }

  @Test("an operation that is cancelled while the server does not answer ends at once")
  func cancelledWhileRunning() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    _ = try await database.allRecordZones()
    try kit.server.process.pause()
    let operation = CKModifyRecordsOperation(recordsToSave: records(2))
    let reported = Mutex(0)
    operation.perRecordSaveBlock = { _, _ in reported.withLock { $0 += 1 } }
    let error: (any Error)? = await withCheckedContinuation { waiting in
      operation.modifyRecordsCompletionBlock = { waiting.resume(returning: $2) }
      let queue = OperationQueue()
      operation.database = database
      queue.addOperation(operation)
      operation.cancel()
    }
    kit.server.process.resume()
    #expect((error as? CKError)?.code == .operationCancelled)
    #expect(reported.withLock { $0 } == 2)
    // An async form is cancelled with its task.
    try kit.server.process.pause()
    let task = Task { try await database.records(for: [CKRecord.ID(recordName: "a")]) }
    task.cancel()
    let failure = await #expect(throws: CKError.self) { try await task.value }
    kit.server.process.resume()
    #expect(failure?.code == .operationCancelled)
  }

  @Test("an operation that is cancelled between its calls still shows each record once")
  func cancelledBetween() async throws {
    let database = try await KitServer().container().privateCloudDatabase
    let result = await save(records(1200), database) { $0.cancel() }
    #expect(result.reported.count == 1200 && Set(result.reported.values) == [1])
    #expect(result.ends == 1)
    #expect(result.error == nil || result.error?.code == .operationCancelled)
  }

  @Test("operations wait for those that they depend on")
  func dependencies() async throws {
    let database = try await KitServer().container().privateCloudDatabase
    let record = records(1)[0]
    let save = CKModifyRecordsOperation(recordsToSave: [record], recordIDsToDelete: nil)
    let reported = Mutex<[String]>([])
    save.modifyRecordsCompletionBlock = { _, _, _ in reported.withLock { $0.append("saved") } }
    let fetch = CKFetchRecordsOperation(recordIDs: [record.recordID])
    fetch.fetchRecordsCompletionBlock = { records, _ in
      reported.withLock { $0.append("fetched \(records?.count ?? -1)") }
    }
    let delete = CKModifyRecordsOperation(recordIDsToDelete: [record.recordID])
    delete.modifyRecordsCompletionBlock = { _, ids, _ in
      reported.withLock { $0.append("deleted \(ids?.count ?? -1)") }
    }
    let last = BlockOperation { reported.withLock { $0.append("last") } }
    fetch.addDependency(save)
    delete.addDependency(fetch)
    last.addDependency(delete)
    let queue = OperationQueue()
    await withCheckedContinuation { waiting in
      last.completionBlock = { waiting.resume() }
      queue.addOperation(last)
      // Also across queues.
      database.add(delete)
      fetch.database = database
      queue.addOperation(fetch)
      save.database = database
      queue.addOperation(save)
    }
    #expect(reported.withLock { $0 } == ["saved", "fetched 1", "deleted 1", "last"])
  }

  @Test("a server that is down is an error in every style")
  func serverDown() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    let record = try await database.save(records(1)[0])
    try await kit.server.crash()
    let operation = CKQueryOperation(
      query: .init(recordType: "Items", predicate: .init(value: true))
    )
    let configuration = CKOperation.Configuration()
    configuration.timeoutIntervalForRequest = 0.5
    operation.configuration = configuration
    let error: (any Error)? = await withCheckedContinuation { waiting in
      operation.queryCompletionBlock = { waiting.resume(returning: $1) }
      database.add(operation)
    }
    #expect((error as? CKError)?.code == .networkFailure)
    let fetch = CKFetchRecordsOperation(recordIDs: [record.recordID])
    fetch.timeoutIntervalForRequest = 0.5
    let found: (Int?, (any Error)?) = await withCheckedContinuation { waiting in
      fetch.fetchRecordsCompletionBlock = { waiting.resume(returning: ($0?.count, $1)) }
      database.add(fetch)
    }
    #expect(found.0 == 0)
    #expect((found.1 as? CKError)?.code == .networkFailure)
    // So is a connection that never was.
    let zones = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
    zones.timeoutIntervalForRequest = 0.5
    let never: (any Error)? = await withCheckedContinuation { waiting in
      zones.fetchRecordZonesCompletionBlock = { waiting.resume(returning: $1) }
      kit.container().privateCloudDatabase.add(zones)
    }
    #expect((never as? CKError)?.code == .networkFailure)
  }
}
