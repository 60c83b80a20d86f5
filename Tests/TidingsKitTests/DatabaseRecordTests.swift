import Foundation
import Synchronization
import TestSupport
import Testing
import TidingsKit

/// Databases without operations, as CloudKit's users call them.
@Suite(.endsServers) struct DatabaseRecordTests {
  @Test("code that waits saves, fetches and deletes")
  func waiting() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    let record = CKRecord(recordType: "ToDoItem", recordID: CKRecord.ID(recordName: "milk"))
    record["title"] = "Buy milk"
    try await database.save(record)
    let fetched = try await database.record(for: record.recordID)
    #expect(fetched["title"] as? String == "Buy milk")
    let deleted = try await database.deleteRecord(withID: record.recordID)
    #expect(deleted == record.recordID)
    do {
      _ = try await database.record(for: record.recordID)
      Issue.record("a deleted record was fetched")
    } catch CKError.unknownItem {
      // As it should be.
    }
  }

  @Test("a single item throws its own error")
  func singleErrors() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
    record["text"] = "first" as CKRecordValue
    let saved = try await database.save(record)
    let stale = try #require(saved.copy() as? CKRecord)
    saved["text"] = "second" as CKRecordValue
    try await database.save(saved)
    stale["text"] = "third" as CKRecordValue
    do {
      _ = try await database.save(stale)
      Issue.record("a stale record was saved")
    } catch CKError.zoneNotFound {
      Issue.record("one code matches another")
    } catch let error as CKError where error.code == .serverRecordChanged {
      #expect(error.serverRecord?["text"] as? String == "second")
    }
    let zone = CKRecordZone.ID(zoneName: "nowhere")
    await #expect(throws: CKError.self) {
      try await database.save(CKRecord(recordType: "Note", zoneID: zone))
    }
    do {
      try await database.save(CKRecord(recordType: "Note", zoneID: zone))
    } catch {
      let error = error as NSError
      #expect(error.domain == CKErrorDomain)
      #expect(error.code == CKError.Code.zoneNotFound.rawValue)
    }
  }

  @Test("code that is called back saves, fetches and deletes, each handler once")
  func callbacks() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    let calls = Mutex<[String]>([])
    let error: (any Error)? = await withCheckedContinuation { continuation in
      let record = CKRecord(recordType: "Whistle")
      record["genre"] = "Pop" as CKRecordValue
      database.save(record) { record, error in
        calls.withLock { $0.append("save") }
        guard let record, error == nil else { return continuation.resume(returning: error) }
        database.fetch(withRecordID: record.recordID) { fetched, error in
          calls.withLock { $0.append("fetch \(fetched?["genre"] as? String ?? "nothing")") }
          database.delete(withRecordID: record.recordID) { id, error in
            calls.withLock { $0.append("delete \(id == record.recordID)") }
            database.fetch(withRecordID: record.recordID) { record, error in
              calls.withLock { $0.append("gone \(record == nil)") }
              continuation.resume(returning: error)
            }
          }
        }
      }
    }
    #expect((error as? CKError)?.code == .unknownItem)
    #expect(calls.withLock { $0 } == ["save", "fetch Pop", "delete true", "gone true"])
  }

  @Test("several records have a result each")
  func several() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    let good = CKRecord(recordType: "Note", recordID: .init(recordName: "good"))
    good["text"] = "hello"
    let bad = CKRecord(recordType: "Note", recordID: .init(recordName: "bad"))
    bad.setValue(NSObject(), forKey: "text")
    let (saveResults, deleteResults) = try await database.modifyRecords(
      saving: [good, bad],
      deleting: [CKRecord.ID(recordName: "never")],
      savePolicy: .changedKeys,
      atomically: false
    )
    #expect(try saveResults[good.recordID]?.get() === good)
    #expect(throws: CKError.self) { try saveResults[bad.recordID]?.get() }
    #expect(throws: Never.self) { try deleteResults[CKRecord.ID(recordName: "never")]?.get() }

    let results = try await database.records(for: [good.recordID, bad.recordID], desiredKeys: [])
    #expect(results.count == 2)
    #expect(try results[good.recordID]?.get()["text"] == nil)
    switch results[bad.recordID] {
    case .failure(let error as CKError): #expect(error.code == .unknownItem)
    default: Issue.record("what was not saved was found")
    }

    let names: [String] = await withCheckedContinuation { continuation in
      database.fetch(withRecordIDs: [good.recordID, bad.recordID]) { result in
        let found = (try? result.get())?.filter { (try? $0.value.get()) != nil }
        continuation.resume(returning: found?.keys.map(\.recordName) ?? [])
      }
    }
    #expect(names == ["good"])
    let count: Int = await withCheckedContinuation { continuation in
      database.modifyRecords(saving: [], deleting: [good.recordID]) { result in
        switch result {
        case .success((_, let deleted)): continuation.resume(returning: deleted.count)
        case .failure: continuation.resume(returning: -1)
        }
      }
    }
    #expect(count == 1)
  }

  @Test("records that fill an answer are fetched in several calls")
  func largeAnswers() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    let ids = (0..<20).map { CKRecord.ID(recordName: "large \($0)") }
    let text = String(repeating: "x", count: 900_000)
    let records = ids.map { id in
      let record = CKRecord(recordType: "Page", recordID: id)
      record["text"] = text
      return record
    }
    _ = try await database.modifyRecords(saving: records, deleting: [])
    let results = try await database.records(for: ids)
    #expect(results.count == ids.count)
    for id in ids { #expect((try results[id]?.get()["text"] as? String)?.utf8.count == 900_000) }
  }
}
