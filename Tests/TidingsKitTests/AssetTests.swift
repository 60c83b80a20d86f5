import Foundation
import TestSupport
import Testing
import TidingsClient
import TidingsProto

@testable import TidingsKit

/// Files of records: sent with a save, there after a fetch.
@Suite(.endsServers) struct AssetTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func file(_ name: String, _ bytes: Data) throws -> URL {
    let url = URL(fileURLWithPath: folder.file(name))
    try bytes.write(to: url)
    return url
  }

  private func contents(_ asset: CKAsset?) throws -> Data {
    try Data(contentsOf: try #require(asset?.fileURL))
  }

  @Test("files go up with a save, one or a list, and come down with fetches")
  func roundTrip() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    let photo = try file("photo.jpg", Data("a photo".utf8))
    let scan = try file("scan", Data())
    let house = CKRecord(recordType: "Houses")
    house["photo"] = CKAsset(fileURL: photo)
    house["pages"] = [CKAsset(fileURL: scan), CKAsset(fileURL: photo)]
    try await database.save(house)

    let other = kit.container(device: "other").privateCloudDatabase
    let fetched = try await other.record(for: house.recordID)
    let asset = fetched["photo"] as? CKAsset
    #expect(try contents(asset) == Data("a photo".utf8))
    #expect(asset?.fileURL != photo)
    let pages = try #require(fetched["pages"] as? [CKAsset])
    #expect(try pages.map { try contents($0) } == [Data(), Data("a photo".utf8)])
    let typed: CKAsset? = fetched["photo"]
    #expect(typed === asset)

    // Not changed, so not sent: the file may be gone.
    try FileManager.default.removeItem(at: photo)
    house["name"] = "Villa"
    try await database.save(house)
    let all = try await database.modifyRecords(
      saving: [house],
      deleting: [],
      savePolicy: .allKeys
    )
    #expect(try all.saveResults[house.recordID]?.get() === house)
    // An asset that was fetched can be given to another record of the database.
    let twin = CKRecord(recordType: "Houses")
    twin["photo"] = asset
    try await other.save(twin)
    // To another database it is sent from its file.
    let elsewhere = CKRecord(recordType: "Houses")
    elsewhere["photo"] = asset
    let ben = kit.container(as: "ben").privateCloudDatabase
    try await ben.save(elsewhere)
    #expect(
      try contents(await ben.record(for: elsewhere.recordID)["photo"]) == Data("a photo".utf8)
    )
    house["photo"] = nil
    try await database.save(house)
    #expect(try await other.record(for: house.recordID)["photo"] == nil)
  }

  @Test("a file that is not there fails its record, and in a custom zone those saved with it")
  func missing() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    let zone = try await database.save(CKRecordZone(zoneName: "Photos")).zoneID
    let other = try await database.save(CKRecordZone(zoneName: "Others")).zoneID
    for url in [URL(fileURLWithPath: folder.file("nothing")), URL(fileURLWithPath: folder.path)] {
      let record = CKRecord(recordType: "Houses")
      record["photo"] = CKAsset(fileURL: url)
      await #expect { try await database.save(record) } throws: { error in
        (error as? CKError)?.code == .assetFileNotFound
      }
      let good = CKRecord(recordType: "Houses")
      let lost = CKRecord(recordType: "Houses", recordID: .init(recordName: "a", zoneID: zone))
      lost["photo"] = CKAsset(fileURL: url)
      let beside = CKRecord(recordType: "Houses", recordID: .init(recordName: "b", zoneID: zone))
      let elsewhere = CKRecord(
        recordType: "Houses",
        recordID: .init(recordName: "c", zoneID: other)
      )
      elsewhere["n"] = 1
      let gone = CKRecord.ID(recordName: "gone", zoneID: zone)
      let (saves, deletions) = try await database.modifyRecords(
        saving: [record, good, beside, lost, elsewhere],
        deleting: [gone],
        savePolicy: .allKeys
      )
      func code(_ result: Result<CKRecord, any Error>?) -> CKError.Code? {
        (result?.failure as? CKError)?.code
      }
      #expect(saves.count == 5 && deletions.count == 1)
      #expect(code(saves[record.recordID]) == .assetFileNotFound)
      #expect(code(saves[lost.recordID]) == .assetFileNotFound)
      #expect(code(saves[beside.recordID]) == .batchRequestFailed)
      #expect((deletions[gone]?.failure as? CKError)?.code == .batchRequestFailed)
      // The default zone is not atomic, and the other zone has no part in it.
      #expect(saves[good.recordID]?.failure == nil && saves[elsewhere.recordID]?.failure == nil)
    }
  }

  @Test("progress shows fractions of bytes, ascending to 1, up and down")
  func progress() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    // Several chunks each way.
    let bytes = Data((0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 11) })
    let record = CKRecord(recordType: "Films")
    record["film"] = CKAsset(fileURL: try file("film", bytes))
    record["clip"] = CKAsset(fileURL: try file("clip", bytes.prefix(1 << 20)))
    let up = Collector<Double>()
    let _: Void = try await withCheckedThrowingContinuation { continuation in
      let operation = CKModifyRecordsOperation(recordsToSave: [record])
      operation.perRecordProgressBlock = { up.append($1) }
      operation.modifyRecordsResultBlock = { continuation.resume(with: $0) }
      database.add(operation)
    }
    let id = record.recordID
    let down = Collector<Double>()
    let results = Collector<CKRecord>()
    let _: Void = try await withCheckedThrowingContinuation { continuation in
      let operation = CKFetchRecordsOperation(recordIDs: [id])
      operation.perRecordProgressBlock = { down.append($1) }
      operation.perRecordResultBlock = { if let record = try? $1.get() { results.append(record) } }
      operation.fetchRecordsResultBlock = { continuation.resume(with: $0) }
      kit.container(device: "other").privateCloudDatabase.add(operation)
    }
    for fractions in [up.values, down.values] {
      #expect(fractions == fractions.sorted())
      #expect(fractions.last == 1)
      #expect(fractions.filter { $0 > 0 && $0 < 1 }.count >= 3, "\(fractions)")
    }
    #expect(try contents(results.values.first?["film"] as? CKAsset) == bytes)
  }

  @Test("what is not asked for is not downloaded; an archive keeps a file that is to be sent")
  func partly() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    let record = CKRecord(recordType: "Houses")
    record["photo"] = CKAsset(fileURL: try file("photo", Data("abc".utf8)))
    record["name"] = "Villa"
    let data = try NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
    let copy = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data)
    )
    try await database.save(copy)
    let some = try await database.records(for: [record.recordID], desiredKeys: ["name"])
    #expect(try some[record.recordID]?.get().allKeys() == ["name"])
    let all = try await database.record(for: record.recordID)
    #expect(try contents(all["photo"] as? CKAsset) == Data("abc".utf8))
  }

  @Test("the same file is sent once, and a copy of what is stored not at all")
  func once() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    let url = try file("photo", Data(repeating: 7, count: 100))
    let records = ["a", "b", "c"].map { name in
      CKRecord(recordType: "Houses", recordID: CKRecord.ID(recordName: name))
    }
    for record in records { record["photo"] = CKAsset(fileURL: url) }
    let reported = Collector<CKRecord.ID>()
    let _: Void = try await withCheckedThrowingContinuation { continuation in
      let operation = CKModifyRecordsOperation(recordsToSave: records)
      operation.perRecordProgressBlock = { record, _ in reported.append(record.recordID) }
      operation.modifyRecordsResultBlock = { continuation.resume(with: $0) }
      database.add(operation)
    }
    // Each record reports its end, and each transfer of itself.
    let counts = records.map { record in reported.values.count { $0 == record.recordID } }
    #expect(counts[0] > 1)
    #expect(counts[1...] == [1, 1])
  }
}
