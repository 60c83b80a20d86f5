import Foundation
import Synchronization
import TestSupport
import Testing
import TidingsKit

/// Change feeds in the styles of CloudKit's users.
@Suite(.endsServers) struct ChangeFeedTests {
  private let zoneID = CKRecordZone.ID(zoneName: "Notes")

  private func note(_ number: Int, in zone: CKRecordZone.ID? = nil) -> CKRecord {
    let name = "note \(number)"
    let record = CKRecord(
      recordType: "Note",
      recordID: CKRecord.ID(recordName: name, zoneID: zone ?? zoneID)
    )
    record["text"] = name
    record["number"] = number
    return record
  }

  /// A database with notes in a zone.
  private func database(
    _ kit: KitServer,
    device: String = "",
    notes: Int
  ) async throws -> CKDatabase {
    let database = kit.container(device: device).privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: zoneID))
    let (results, _) = try await database.modifyRecords(
      saving: (0..<notes).map { note($0) },
      deleting: []
    )
    for result in results.values { _ = try result.get() }
    return database
  }

  /// Fetches a zone's changes with an operation, and shows all that its blocks received.
  private func fetch(
    _ database: CKDatabase,
    _ zones: [CKRecordZone.ID],
    _ setUp: (CKFetchRecordZoneChangesOperation) -> Void = { _ in }
  ) async -> (reported: [String], tokens: [CKRecordZone.ID: CKServerChangeToken], error: CKError?) {
    let reported = Mutex<[String]>([])
    let tokens = Mutex<[CKRecordZone.ID: CKServerChangeToken]>([:])
    let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: zones)
    operation.recordChangedBlock = { record in
      reported.withLock { $0.append("+\(record.recordID.recordName)") }
    }
    operation.recordWithIDWasDeletedBlock = { id, type in
      reported.withLock { $0.append("-\(id.recordName) \(type)") }
    }
    operation.recordZoneChangeTokensUpdatedBlock = { zone, token, mark in
      reported.withLock { $0.append("~\(zone.zoneName)") }
      tokens.withLock { $0[zone] = token }
    }
    operation.recordZoneFetchCompletionBlock = { zone, token, mark, moreComing, error in
      let mark = mark.map { String(decoding: $0, as: UTF8.self) } ?? ""
      let reason = (error as? CKError).map { " \($0.code)" } ?? ""
      reported.withLock {
        $0.append(".\(zone.zoneName)\(moreComing ? " more" : "")\(mark)\(reason)")
      }
      if let token { tokens.withLock { $0[zone] = token } }
    }
    setUp(operation)
    let error: (any Error)? = await withCheckedContinuation { waiting in
      operation.fetchRecordZoneChangesCompletionBlock = { waiting.resume(returning: $0) }
      database.add(operation)
    }
    return (reported.withLock { $0 }, tokens.withLock { $0 }, error as? CKError)
  }

  @Test("a zone's changes come once and in order, pages with tokens between them")
  func pages() async throws {
    let database = try await database(KitServer(), notes: 25)
    let first = await fetch(database, [zoneID]) { operation in
      let options = CKFetchRecordZoneChangesOperation.ZoneOptions()
      options.resultsLimit = 10
      operation.optionsByRecordZoneID = [zoneID: options]
    }
    let names = (0..<25).map { "+note \($0)" }
    var expected: [String] = names
    expected.insert("~Notes", at: 20)
    expected.insert("~Notes", at: 10)
    expected.append(".Notes")
    #expect(first.reported == expected)
    #expect(first.error == nil)

    _ = try await database.modifyRecords(
      saving: [note(30)],
      deleting: [note(3).recordID],
      savePolicy: .allKeys
    )
    let second = await fetch(database, [zoneID]) { operation in
      let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
      configuration.previousServerChangeToken = first.tokens[zoneID]
      configuration.desiredKeys = []
      operation.configurationsByRecordZoneID = [zoneID: configuration]
    }
    #expect(second.reported == ["+note 30", "-note 3 Note", ".Notes"])

    let onePage = await fetch(database, [zoneID]) { operation in
      operation.fetchAllChanges = false
      operation.configurationsByRecordZoneID = [zoneID: .init(resultsLimit: 4)]
    }
    #expect(onePage.reported.count == 5 && onePage.reported.last == ".Notes more")
    let again = await fetch(database, [zoneID]) { operation in
      operation.configurationsByRecordZoneID = [
        zoneID: .init(previousServerChangeToken: second.tokens[zoneID])
      ]
    }
    #expect(again.reported == [".Notes"])
  }

  @Test("a token that was archived goes on in another process")
  func archivedTokens() async throws {
    let kit = try await KitServer()
    let database = try await database(kit, notes: 2)
    let first = await fetch(database, [zoneID])
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: try #require(first.tokens[zoneID]),
      requiringSecureCoding: true
    )
    try await database.save(note(2))
    // Another container has a connection of its own, as another process would.
    let other = kit.container().privateCloudDatabase
    let token = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: CKServerChangeToken.self,
      from: data
    )
    let (changes, deletions, _, moreComing) = try await other.recordZoneChanges(
      inZoneWith: zoneID,
      since: token
    )
    #expect(changes.keys.map(\.recordName) == ["note 2"])
    #expect(try changes.values.first?.get().record["text"] as? String == "note 2")
    #expect(deletions.isEmpty && !moreComing)
  }

  @Test("each zone fails by itself, inside a partial failure")
  func zoneErrors() async throws {
    let database = try await database(KitServer(), notes: 3)
    let unknown = CKRecordZone.ID(zoneName: "Unknown")
    let lists = CKRecordZone.ID(zoneName: "Lists")
    try await database.save(CKRecordZone(zoneID: lists))
    try await database.save(note(9, in: lists))
    let result = await fetch(database, [zoneID, unknown, lists])
    #expect(
      result.reported == [
        "+note 0", "+note 1", "+note 2", ".Notes", ".Unknown zoneNotFound", "+note 9", ".Lists",
      ]
    )
    #expect(result.error?.code == .partialFailure)
    #expect((result.error?.partialErrorsByItemID?[unknown] as? CKError)?.code == .zoneNotFound)
    #expect(result.error?.partialErrorsByItemID?.count == 1)
  }

  @Test("a zone that was created again needs no old token")
  func expiredTokens() async throws {
    let database = try await database(KitServer(), notes: 1)
    let token = await fetch(database, [zoneID]).tokens[zoneID]
    try await database.deleteRecordZone(withID: zoneID)
    try await database.save(CKRecordZone(zoneID: zoneID))
    try await database.save(note(5))
    let result = await fetch(database, [zoneID]) { operation in
      operation.configurationsByRecordZoneID = [zoneID: .init(previousServerChangeToken: token)]
    }
    #expect(result.reported == [".Notes changeTokenExpired"])
    #expect((result.error?.partialErrorsByItemID?[zoneID] as? CKError)?.code == .changeTokenExpired)
    do {
      _ = try await database.recordZoneChanges(inZoneWith: zoneID, since: token)
      Issue.record("an expired token was accepted")
    } catch CKError.changeTokenExpired {
      let changes = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil)
      #expect(changes.modificationResultsByID.keys.map(\.recordName) == ["note 5"])
    }
    let old: (any Error)? = await withCheckedContinuation { waiting in
      let operation = CKFetchRecordChangesOperation(
        recordZoneID: zoneID,
        previousServerChangeToken: token
      )
      operation.fetchRecordChangesCompletionBlock = { waiting.resume(returning: $2) }
      database.add(operation)
    }
    #expect((old as? CKError)?.code == .changeTokenExpired)
  }

  @Test("a device's mark comes back with what it saved")
  func marks() async throws {
    let database = try await database(KitServer(), device: "phone", notes: 1)
    let error: (any Error)? = await withCheckedContinuation { waiting in
      let operation = CKModifyRecordsOperation(recordsToSave: [note(1)])
      operation.clientChangeTokenData = Data(" mark".utf8)
      operation.modifyRecordsCompletionBlock = { waiting.resume(returning: $2) }
      database.add(operation)
    }
    #expect(error == nil)
    #expect(await fetch(database, [zoneID]).reported == ["+note 0", "+note 1", ".Notes mark"])
  }

  @Test("older code fetches a page at a time until nothing more is coming")
  func olderOperation() async throws {
    let database = try await database(KitServer(), notes: 7)
    var token: CKServerChangeToken?
    var names: [String] = []
    var isMoreComing = true
    var pages = 0
    while isMoreComing {
      let operation = CKFetchRecordChangesOperation(
        recordZoneID: zoneID,
        previousServerChangeToken: token
      )
      operation.resultsLimit = 3
      let found = Mutex<[String]>([])
      operation.recordChangedBlock = { record in
        found.withLock { $0.append(record.recordID.recordName) }
      }
      token = try await withCheckedThrowingContinuation { waiting in
        operation.fetchRecordChangesCompletionBlock = { token, _, error in
          if let error { return waiting.resume(throwing: error) }
          waiting.resume(returning: token)
        }
        database.add(operation)
      }
      isMoreComing = operation.moreComing
      names += found.withLock { $0 }
      pages += 1
    }
    #expect(names == (0..<7).map { "note \($0)" })
    #expect(pages == 3)
  }

  @Test("the database shows which zones changed and which are gone")
  func databaseChanges() async throws {
    let kit = try await KitServer()
    let database = try await database(kit, notes: 1)
    try await database.save(CKRecordZone(zoneName: "Lists"))
    func fetch(
      _ token: CKServerChangeToken?
    ) async -> (reported: [String], token: CKServerChangeToken?) {
      let reported = Mutex<[String]>([])
      let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
      operation.resultsLimit = 1
      operation.recordZoneWithIDChangedBlock = { id in
        reported.withLock { $0.append("+\(id.zoneName)") }
      }
      operation.recordZoneWithIDWasDeletedBlock = { id in
        reported.withLock { $0.append("-\(id.zoneName)") }
      }
      operation.changeTokenUpdatedBlock = { _ in reported.withLock { $0.append("~") } }
      let token = await withCheckedContinuation { waiting in
        operation.fetchDatabaseChangesCompletionBlock = { token, moreComing, error in
          #expect(error == nil && !moreComing)
          waiting.resume(returning: token)
        }
        database.add(operation)
      }
      return (reported.withLock { $0 }, token)
    }
    let first = await fetch(nil)
    #expect(first.reported.filter { $0 != "~" } == ["+Notes", "+Lists"])
    try await database.deleteRecordZone(withID: CKRecordZone.ID(zoneName: "Lists"))
    try await database.save(note(4))
    let second = await fetch(first.token)
    #expect(Set(second.reported) == ["-Lists", "+Notes", "~"])

    let (changes, deletions, token, moreComing) = try await database.databaseChanges(
      since: first.token
    )
    #expect(changes.map(\.zoneID) == [zoneID])
    #expect(deletions.map(\.zoneID.zoneName) == ["Lists"])
    #expect(deletions.first?.reason == .deleted && deletions.first?.purged == false)
    #expect(!moreComing)
    let page = try await database.databaseChanges(since: token, resultsLimit: 10)
    #expect(page.modifications.isEmpty && page.deletions.isEmpty)
    let zoneToken: CKServerChangeToken? = await withCheckedContinuation { waiting in
      database.fetchRecordZoneChanges(inZoneWith: zoneID, since: nil, resultsLimit: 1) { result in
        waiting.resume(returning: (try? result.get())?.changeToken)
      }
    }
    // A zone's token is no database's.
    await #expect(throws: CKError.self) { try await database.databaseChanges(since: zoneToken) }
    let names: [String] = await withCheckedContinuation { waiting in
      database.fetchDatabaseChanges(since: nil) { result in
        let zones = (try? result.get())?.modifications.map(\.zoneID.zoneName)
        waiting.resume(returning: zones ?? [])
      }
    }
    #expect(names == ["Notes"])
  }
}
