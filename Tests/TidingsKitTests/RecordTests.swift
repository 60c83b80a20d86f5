import Foundation
import TestSupport
import Testing
import TidingsKit

@Suite(.endsServers) struct RecordTests {
  @Test("values come back as any type that they can be read as")
  func values() {
    let record = CKRecord(recordType: "Houses")
    record["title"] = "Villa"
    record["price"] = 250_000 as CKRecordValue
    record["rate"] = 1.5
    record["isNew"] = true as CKRecordValue
    record.setObject(NSString(string: "by the sea"), forKey: "note")
    record["counts"] = [1, 2, 3]
    record["place"] = CLLocation(latitude: 60, longitude: 10)
    #expect(record["title"] as? String == "Villa")
    let title: String? = record["title"]
    #expect(title == "Villa")
    #expect(record["price"] as? Int == 250_000)
    #expect(record["price"] as? Double == 250_000)
    #expect(record["rate"] as? Double == 1.5)
    #expect(record["isNew"] as? Bool == true)
    #expect(record.object(forKey: "note") as? String == "by the sea")
    #expect(record["counts"] as? [Int] == [1, 2, 3])
    #expect((record["place"] as? CLLocation)?.coordinate.latitude == 60)
    #expect(Set(record.changedKeys()) == Set(record.allKeys()))
    record["title"] = nil
    #expect(record["title"] == nil)
    #expect(record.changedKeys().contains("title") && !record.allKeys().contains("title"))
  }

  @Test("records, ids, zones and tokens survive archives")
  func archives() throws {
    let zone = CKRecordZone.ID(zoneName: "notes")
    let record = CKRecord(recordType: "Notes", recordID: .init(recordName: "a", zoneID: zone))
    record["text"] = "hello"
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: record,
      requiringSecureCoding: true
    )
    let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data)
    #expect(copy?.recordID == record.recordID)
    #expect(copy?["text"] as? String == "hello")
    #expect(copy?.changedKeys() == ["text"])

    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: coder)
    coder.finishEncoding()
    let decoder = try NSKeyedUnarchiver(forReadingFrom: coder.encodedData)
    let system = CKRecord(coder: decoder)
    #expect(system?.recordID == record.recordID)
    #expect(system?.allKeys() == [])
  }

  @Test("what is saved is fetched; what another saved meanwhile is a conflict")
  func saving() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    let record = CKRecord(recordType: "Houses", recordID: .init(recordName: "villa"))
    record["title"] = "Villa"
    let first = await modify(database, saving: [record])
    #expect(first.error == nil)
    #expect(record.recordChangeTag != nil)
    #expect(record.changedKeys().isEmpty)
    let other = try #require(record.copy() as? CKRecord)
    record["title"] = "Villa Rosa"
    #expect(await modify(database, saving: [record]).error == nil)
    other["title"] = "Villa Verde"
    let conflict = try #require(await modify(database, saving: [other]).error as? CKError)
    #expect(conflict.code == .partialFailure)
    let inner = conflict.partialErrorsByItemID?[other.recordID] as? CKError
    #expect(inner?.code == .serverRecordChanged)
    #expect(inner?.serverRecord?["title"] as? String == "Villa Rosa")
    #expect(inner?.ancestorRecord?["title"] as? String == "Villa")
    #expect(inner?.clientRecord === other)
  }

  private func modify(
    _ database: CKDatabase,
    saving: [CKRecord]
  ) async -> (saved: [CKRecord]?, error: (any Error)?) {
    await withCheckedContinuation { continuation in
      let operation = CKModifyRecordsOperation(recordsToSave: saving, recordIDsToDelete: nil)
      operation.modifyRecordsCompletionBlock = { saved, _, error in
        continuation.resume(returning: (saved, error))
      }
      database.add(operation)
    }
  }
}
