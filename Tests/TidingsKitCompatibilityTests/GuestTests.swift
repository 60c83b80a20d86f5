import Foundation
import TestSupport
import Testing
import TidingsKit

/// Programs as their authors wrote them for CloudKit, of three generations, on a real server.
@Suite(.endsServers) struct GuestTests {
  private func container(_ server: TestServer, _ user: String, _ device: String) -> CKContainer {
    var connection = CKContainer.Connection()
    connection.endpoints = [server.rpcEndpoint]
    connection.user = user
    connection.device = device
    return CKContainer(connection)
  }

  @Test("completion handlers: houses with photos, and who is notified of new ones")
  func houses() async throws {
    let server = try await TestServer.start()
    let folder = try TemporaryFolder()
    let photo = URL(fileURLWithPath: folder.file("photo.jpg"))
    try Data("a house by the sea".utf8).write(to: photo)
    let buyer = HouseStore(container: container(server, "bob", "phone"))
    let seller = HouseStore(container: container(server, "ada", "phone"))
    let refusal = await withCheckedContinuation { (waiting: Waiting<Error?>) in
      buyer.subscribe { waiting.resume(returning: $0) }
    }
    #expect(refusal == nil)
    let (pushes, arrived) = AsyncStream<[AnyHashable: Any]>.makeStream()
    _ = try await buyer.container.registerForRemoteNotifications { push in
      arrived.yield(push)
    }
    let saved = await withCheckedContinuation { (waiting: Waiting<CKRecord?>) in
      seller.add(.init(title: "Villa", price: 250, photo: photo)) { record, error in
        #expect(error == nil)
        waiting.resume(returning: record)
      }
    }
    for await push in pushes {
      let house = await withCheckedContinuation { (waiting: Waiting<CKRecord?>) in
        buyer.received(push) { waiting.resume(returning: $0) }
      }
      #expect(house?.recordID == saved?.recordID)
      #expect(house?["title"] as? String == "Villa")
      let file = try #require((house?["photo"] as? CKAsset)?.fileURL)
      #expect(try Data(contentsOf: file) == Data("a house by the sea".utf8))
      break
    }
    await withCheckedContinuation { (waiting: Waiting<Void>) in
      buyer.load(cheaperThan: 300) { waiting.resume() }
    }
    #expect(buyer.houses.map(\.title) == ["Villa"])
    #expect(buyer.houses.first?.price == 250)
  }

  @Test("operations: words in a zone, tokens in archives, missed notifications marked read")
  func words() async throws {
    let server = try await TestServer.start()
    let phone = WordSync(container: container(server, "ada", "phone"))
    let laptop = WordSync(container: container(server, "ada", "laptop"))
    let zoneError = await withCheckedContinuation { (waiting: Waiting<Error?>) in
      phone.createZone { waiting.resume(returning: $0) }
    }
    #expect(zoneError == nil)
    let subscription = CKRecordZoneSubscription(zoneID: WordSync.zoneID)
    _ = try await laptop.database.save(subscription)
    let list = (0..<450).map { "word\($0)" }
    var uploaded = 0
    for part in [list.prefix(400), list.dropFirst(400)] {
      uploaded += await withCheckedContinuation { (waiting: Waiting<Int>) in
        phone.upload(Array(part)) { count, error in
          #expect(error == nil)
          waiting.resume(returning: count)
        }
      }
    }
    #expect(uploaded == 450)
    for expected in [Set(list), Set(list).subtracting(["word7"])] {
      let error = await withCheckedContinuation { (waiting: Waiting<Error?>) in
        laptop.download { waiting.resume(returning: $0) }
      }
      #expect(error == nil)
      #expect(Set(laptop.words.values) == expected)
      #expect(laptop.previousToken != nil)
      let id = CKRecord.ID(recordName: "word7", zoneID: WordSync.zoneID)
      _ = try await phone.database.deleteRecord(withID: id)
    }
    let missed = await withCheckedContinuation { (waiting: Waiting<[CKNotification]>) in
      laptop.catchUp { waiting.resume(returning: $0) }
    }
    #expect(missed.count == 3 && missed.allSatisfy { $0.notificationType == .recordZone })
    let again = await withCheckedContinuation { (waiting: Waiting<[CKNotification]>) in
      laptop.catchUp { waiting.resume(returning: $0) }
    }
    #expect(!again.contains { $0.notificationType == .recordZone })
  }

  @Test("one class of many methods: dependencies, cursors, feeds of two databases, shares, users")
  func trails() async throws {
    let server = try await TestServer.start()
    let ada = TrailCloud(container(server, "ada", "phone"))
    let bob = TrailCloud(container(server, "bob", "phone"))
    let name = await withCheckedContinuation { (waiting: Waiting<String?>) in
      ada.whoAmI { waiting.resume(returning: $0) }
    }
    #expect(name == "ada" && ada.userID?.recordName == "ada")
    let refusal = await withCheckedContinuation { (waiting: Waiting<Error?>) in
      ada.prepare { waiting.resume(returning: $0) }
    }
    #expect(refusal == nil)
    let names = (1...8).map { String(repeating: "t", count: $0) }
    let saved = await withCheckedContinuation { (waiting: Waiting<Result<Int, Error>>) in
      ada.save(names, below: "park") { waiting.resume(returning: $0) }
    }
    #expect(try saved.get() == 9)
    let found = await withCheckedContinuation { (waiting: Waiting<[CKRecord]>) in
      ada.trails(longerThan: 2) { records, error in
        #expect(error == nil)
        waiting.resume(returning: records)
      }
    }
    #expect(found.map { $0["name"] as? String } == Array(names.dropFirst()))
    let url = await withCheckedContinuation { (waiting: Waiting<URL?>) in
      ada.share("park") { url, error in
        #expect(error == nil)
        waiting.resume(returning: url)
      }
    }
    let share = await withCheckedContinuation { (waiting: Waiting<CKShare?>) in
      bob.accept(url ?? URL(fileURLWithPath: "/")) { share, error in
        #expect(error == nil)
        waiting.resume(returning: share)
      }
    }
    #expect(share?.owner.userIdentity.userRecordID?.recordName == "ada")
    for (device, scope) in [(ada, CKDatabase.Scope.private), (bob, .shared)] {
      let records = await withCheckedContinuation { (waiting: Waiting<[CKRecord.ID: CKRecord]>) in
        device.fetchChanges(in: scope) { records, error in
          #expect(error == nil)
          waiting.resume(returning: records)
        }
      }
      #expect(records.values.filter { $0.recordType == "Trail" }.count == 8)
      #expect(records.count == 10)
    }
  }

  @Test("a sync engine: contacts of two devices, edited on both")
  func contacts() async throws {
    let server = try await TestServer.start()
    let phone = ContactSync(
      container: container(server, "ada", "phone"),
      automaticallySync: false
    )
    let laptop = ContactSync(
      container: container(server, "ada", "laptop"),
      automaticallySync: false
    )
    for number in 0..<5 { await phone.save("Name \(number)", id: "c\(number)") }
    try await phone.sync()
    try await laptop.sync()
    #expect(await laptop.contacts.mapValues(\.name) == phone.contacts.mapValues(\.name))
    #expect(await laptop.contacts.count == 5)
    await phone.save("Phone", id: "c1")
    await phone.delete("c2")
    await laptop.save("Laptop", id: "c1")
    try await phone.sync()
    try await laptop.sync()
    try await phone.sync()
    #expect(await laptop.contacts.mapValues(\.name) == phone.contacts.mapValues(\.name))
    #expect(await laptop.contacts.count == 4)
  }

  @Test("async: notes with conflicts, queries in pages, changes of the database, shares")
  func notes() async throws {
    let server = try await TestServer.start()
    let phone = NotesModel(container: container(server, "ada", "phone"))
    let friend = NotesModel(container: container(server, "bob", "phone"))
    #expect(try await phone.start() == .available)
    for number in 0..<5 {
      _ = try await phone.save("note \(number)", named: "n\(number)", tags: ["a", "b"])
    }
    let first = try await phone.save("note 0, again", named: "n0")
    #expect(try await phone.notes(containing: "note").count == 5)
    #expect(try await phone.changes().changed.map(\.zoneName) == ["Notes"])
    #expect(try await phone.changes().changed.isEmpty)
    #expect(try await phone.records(since: nil).count == 5)
    let url = try #require(try await phone.share(first, title: "My note"))
    let shared = try await friend.join(url)
    #expect(shared?["text"] as? String == "note 0, again")
    #expect(shared?.recordID.zoneID.ownerName == "ada")
  }
}

private typealias Waiting<Value> = CheckedContinuation<Value, Never>
