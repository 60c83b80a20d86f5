import Foundation
import TestSupport
import Testing
import TidingsClient
import TidingsEncryption
import TidingsProto

@testable import TidingsKit

/// Values that the server cannot read.
@Suite(.endsServers) struct EncryptedValueTests {
  private let folder: TemporaryFolder
  private let key = EncryptionKey()

  init() throws { folder = try TemporaryFolder() }

  private func container(
    _ kit: KitServer,
    as user: String = "ada",
    key: EncryptionKey? = nil,
    dataHome: String? = nil
  ) throws -> CKContainer {
    var connection = CKContainer.Connection()
    connection.endpoints = [kit.server.rpcEndpoint]
    connection.user = user
    connection.dataHome = folder.file(dataHome ?? UUID().uuidString)
    if let key {
      connection.keyRingFile = folder.file("\(UUID().uuidString).ring")
      try KeyRingFile(path: connection.keyRingFile).create(KeyRing([.init(key, .seal)]))
    }
    return CKContainer(connection)
  }

  private func door(in zone: CKRecordZone.ID = .default) -> CKRecord {
    let record = CKRecord(recordType: "Doors", recordID: .init(recordName: "front", zoneID: zone))
    record["place"] = "front"
    record.encryptedValues["pin"] = "1234"
    record.encryptedValues["tries"] = 3
    record.encryptedValues["ratio"] = 0.5
    record.encryptedValues["opened"] = Date(timeIntervalSince1970: 1000)
    record.encryptedValues["data"] = Data([1, 2])
    record.encryptedValues["where"] = CLLocation(latitude: 1, longitude: 2)
    return record
  }

  @Test("what is sealed is opened with the ring, stays sealed without it, and can be removed")
  func roundTrip() async throws {
    let kit = try await KitServer()
    let database = try container(kit, key: key).privateCloudDatabase
    let record = door()
    #expect(record.allKeys() == ["place"])
    #expect(record["pin"] == nil)
    try await database.save(record)
    let raw = try await kit.server.client(as: "ada").records.fetchRecords(
      .init(recordIDs: [.init(recordName: "front")])
    )
    guard case .record(let stored)? = raw.results.first?.outcome else {
      Issue.record("not saved")
      return
    }
    for name in ["pin", "tries", "ratio", "opened", "data", "where"] {
      guard case .encryptedValue? = stored.fields[name]?.value else {
        Issue.record("\(name) is in the clear")
        continue
      }
    }

    let fetched = try await database.record(for: record.recordID)
    #expect(fetched.encryptedValues["pin"] as? String == "1234")
    let tries: Int? = fetched.encryptedValues["tries"]
    #expect(tries == 3)
    #expect(fetched.encryptedValues.object(forKey: "ratio") as? Double == 0.5)
    #expect(fetched.encryptedValues["opened"] as? Date == Date(timeIntervalSince1970: 1000))
    #expect(fetched.encryptedValues["data"] as? Data == Data([1, 2]))
    #expect((fetched.encryptedValues["where"] as? CLLocation)?.coordinate.longitude == 2)
    #expect(fetched.allKeys() == ["place"])
    #expect(fetched.encryptedValues.allKeys().count == 6)
    #expect(fetched.changedKeys().isEmpty && fetched.encryptedValueErrors.isEmpty)

    // Somebody without the key reads the rest, and does not disturb what is sealed.
    let blind = try container(kit).privateCloudDatabase
    let seen = try await blind.record(for: record.recordID)
    #expect(seen["place"] as? String == "front")
    #expect(seen.encryptedValues["pin"] == nil && seen["pin"] == nil)
    #expect(
      seen.encryptedValueErrors["pin"]?.localizedDescription.contains("does not exist")
        == true
    )
    seen["place"] = "back"
    try await blind.save(seen)
    _ = try await blind.modifyRecords(saving: [seen], deleting: [], savePolicy: .allKeys)
    let wrong = try container(kit, key: EncryptionKey()).privateCloudDatabase
    let other = try await wrong.record(for: record.recordID)
    #expect(other.encryptedValueErrors["pin"]?.localizedDescription.contains("key ring") == true)

    // A conflict shows both sides.
    fetched.encryptedValues["pin"] = "4321"
    do {
      try await database.save(fetched)
      Issue.record("no conflict")
    } catch let error as CKError where error.code == .serverRecordChanged {
      let server = try #require(error.serverRecord)
      #expect(server.encryptedValues["pin"] as? String == "1234")
      server.encryptedValues["pin"] = fetched.encryptedValues["pin"] as? String
      server.encryptedValues["tries"] = nil
      try await database.save(server)
    }
    let last = try await database.record(for: record.recordID)
    #expect(last.encryptedValues["pin"] as? String == "4321")
    #expect(last.encryptedValues["tries"] == nil)
    #expect(last.encryptedValues["ratio"] as? Double == 0.5)
  }

  @Test("who names no ring gets one with the first value that is sealed, and all programs use it")
  func defaultRing() async throws {
    let kit = try await KitServer()
    let ring = folder.file("data/tidings/default.ring")
    let programs = try (0..<8).map { _ in try container(kit, dataHome: "data") }
    // Whoever comes first makes it; the others take it.
    try await withThrowingTaskGroup { group in
      for (number, program) in programs.enumerated() {
        group.addTask {
          let record = CKRecord(recordType: "Doors", recordID: .init(recordName: "d\(number)"))
          record.encryptedValues["pin"] = "\(number)"
          _ = try await program.privateCloudDatabase.save(record)
        }
      }
      try await group.waitForAll()
    }
    #expect(try KeyRingFile(path: ring).read().entries.count == 1)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("data/tidings"))
        == ["default.ring"]
    )
    let mode = try FileManager.default.attributesOfItem(atPath: ring)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    for (number, program) in programs.reversed().enumerated() {
      let fetched = try await program.privateCloudDatabase.record(
        for: .init(recordName: "d\(number)")
      )
      #expect(fetched.encryptedValues["pin"] as? String == "\(number)")
    }

    // Another device has none: it says what to copy, and reading makes no other key.
    let device = try container(kit, dataHome: "device").privateCloudDatabase
    let closed = try await device.record(for: .init(recordName: "d0"))
    let path = folder.file("device/tidings/default.ring")
    let reason = closed.encryptedValueErrors["pin"]?.localizedDescription ?? ""
    #expect(reason.contains(path) && reason.contains("copy it"), "\(reason)")
    #expect(!FileManager.default.fileExists(atPath: path))
    try FileManager.default.createDirectory(
      atPath: folder.file("device/tidings"),
      withIntermediateDirectories: true
    )
    try FileManager.default.copyItem(atPath: ring, toPath: path)
    let open = try await device.record(for: .init(recordName: "d0"))
    #expect(open.encryptedValues["pin"] as? String == "0")
  }

  @Test("what cannot be sealed is refused in words, and nothing of it leaves")
  func refusals() async throws {
    let kit = try await KitServer()
    let ringed = try container(kit, key: key)
    func reason(_ record: CKRecord, _ database: CKDatabase) async -> String {
      do {
        try await database.save(record)
        return "saved"
      } catch let error as CKError {
        #expect(error.code == .invalidArguments)
        return error.localizedDescription
      } catch {
        return "\(error)"
      }
    }
    // A file is where the data folder should be.
    try folder.write([], to: "file")
    let nowhere = try container(kit, dataHome: "file/data").privateCloudDatabase
    #expect(await reason(door(), nowhere).contains("default.ring"))
    let open = try container(kit, dataHome: "others").privateCloudDatabase
    let ring = folder.file("others/tidings/default.ring")
    try FileManager.default.createDirectory(
      atPath: folder.file("others/tidings"),
      withIntermediateDirectories: true
    )
    #expect(
      FileManager.default.createFile(
        atPath: ring,
        contents: Data(),
        attributes: [.posixPermissions: 0o644]
      )
    )
    #expect(await reason(door(), open).contains("chmod 600"))
    #expect(await reason(door(), ringed.publicCloudDatabase).contains("public"))
    let url = URL(fileURLWithPath: folder.file("photo"))
    try Data("secret".utf8).write(to: url)
    let record = CKRecord(recordType: "Doors")
    record.encryptedValues["photo"] = CKAsset(fileURL: url)
    #expect(await reason(record, ringed.privateCloudDatabase).contains("photo"))
    record.encryptedValues["photo"] = nil
    record.encryptedValues["list"] = ["a"]
    #expect(await reason(record, ringed.privateCloudDatabase).contains("list"))
  }

  @Test("participants with the key read what is sealed in a shared zone, and write it")
  func shared() async throws {
    let kit = try await KitServer()
    let zone = CKRecordZone.ID(zoneName: "house")
    let ada = try container(kit, key: key)
    _ = try await ada.privateCloudDatabase.save(CKRecordZone(zoneName: "house"))
    let ben = try container(kit, as: "ben", key: key)
    let share = CKShare(recordZoneID: zone)
    share.publicPermission = .readWrite
    let record = door(in: zone)
    _ = try await ada.privateCloudDatabase.modifyRecords(saving: [record, share], deleting: [])
    let metadata = try await ben.shareMetadata(for: try #require(share.url))
    let accepted = try await ben.accept(metadata)
    let id = CKRecord.ID(recordName: "front", zoneID: accepted.recordID.zoneID)
    let fetched = try await ben.sharedCloudDatabase.record(for: id)
    #expect(fetched.encryptedValues["pin"] as? String == "1234")
    fetched.encryptedValues["pin"] = "0000"
    try await ben.sharedCloudDatabase.save(fetched)
    let back = try await ada.privateCloudDatabase.record(for: record.recordID)
    #expect(back.encryptedValues["pin"] as? String == "0000")
  }

  @Test("an archive keeps which values are encrypted")
  func archives() throws {
    let record = door()
    let data = try NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
    let copy = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data)
    )
    #expect(copy.allKeys() == ["place"])
    #expect(copy.encryptedValues["pin"] as? String == "1234")
    #expect(copy.encryptedValues.changedKeys().contains("pin"))
    #expect(copy["pin"] == nil)
  }
}
