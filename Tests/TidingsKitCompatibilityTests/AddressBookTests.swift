import Foundation
import TestSupport
import Testing
import TidingsKit

/// A program that compares what it saved with what came, and knows of neither servers nor key rings.
@Suite(.endsServers) struct AddressBookTests {
  private typealias Person = AddressBook.Person

  /// Two devices of a user; the key ring is where the user keeps what is the same on both.
  private struct Devices {
    let server: TestServer
    let folder: TemporaryFolder

    init() async throws {
      server = try await TestServer.start()
      folder = try TemporaryFolder()
    }

    func book(
      _ device: String,
      automaticallySync: Bool = false,
      makesTwo: Bool = true
    ) -> AddressBook {
      var connection = CKContainer.Connection()
      connection.endpoints = [server.rpcEndpoint]
      connection.user = "ada"
      connection.device = device
      connection.dataHome = folder.file("data")
      return AddressBook(
        CKContainer(connection),
        automaticallySync: automaticallySync,
        makesTwo: makesTwo
      )
    }
  }

  private func person(_ name: String) -> Person {
    Person(name: name, birthday: Date(), phone: "+49 30 \(name.count)", edited: Date())
  }

  @Test("the first send after the start makes the zone and saves all; another device has the same")
  func firstSend() async throws {
    for _ in 0..<20 {
      let devices = try await Devices()
      let (phone, laptop) = (devices.book("phone"), devices.book("laptop"))
      let people = [person("Eve"), person("Bob")]
      await phone.save(people)
      try await phone.syncEngine.sendChanges()
      try await laptop.syncEngine.fetchChanges()
      for person in people {
        #expect(await laptop.people[person.id] == person)
        #expect(await phone.people[person.id] == person)
      }
      _ = try await devices.server.stop()
    }
  }

  @Test("the user comes before all else, at once, also where nothing is synced by itself")
  func firstEvent() async throws {
    let devices = try await Devices()
    let book = devices.book("phone", makesTwo: false)
    await book.makeEngine()
    try await waitUntil("the first event") { await !book.events.isEmpty }
    #expect(await book.events.first?.hasPrefix("accountChange(signIn") == true)
    #expect(await book.syncEngine.state.pendingDatabaseChanges.count == 1)
    // With what the program kept it is not reported again.
    try await waitUntil("the state to be kept") { await book.disk.state != nil }
    let before = await book.events.count
    await book.makeEngine()
    try await book.syncEngine.fetchChanges()
    #expect(await !book.events[before...].contains { $0.hasPrefix("accountChange") })
  }

  @Test(
    "two engines that the delegate makes before it was notified of the user are one, until the last is gone"
  )
  func twoEngines() async throws {
    let devices = try await Devices()
    let book = devices.book("phone", makesTwo: false)
    var first: CKSyncEngine? = await book.syncEngine
    await book.makeEngine()
    let second = await book.syncEngine
    #expect(first !== second)
    let eve = person("Eve")
    await book.save([eve])
    #expect(first?.state.pendingRecordZoneChanges == second.state.pendingRecordZoneChanges)
    first = nil
    try await second.sendChanges()
    let laptop = devices.book("laptop", makesTwo: false)
    try await laptop.syncEngine.fetchChanges()
    #expect(await laptop.people[eve.id] == eve)
  }

  @Test("what is pending before anybody was notified of the user is not reported before the user")
  func pendingFirst() async throws {
    for _ in 0..<20 {
      let devices = try await Devices()
      let book = devices.book("phone")
      await book.save([person("Eve")])
      try await book.syncEngine.sendChanges()
      let events = await book.events
      #expect(events.first?.hasPrefix("accountChange(signIn") == true, "\(events)")
      let sends = events.filter { !$0.hasPrefix("stateUpdate") && !$0.hasPrefix("accountChange") }
      #expect(
        sends.map { String($0.prefix { $0 != "(" }) } == [
          "willSendChanges", "sentDatabaseChanges", "sentRecordZoneChanges", "didSendChanges",
        ],
        "\(events)"
      )
      _ = try await devices.server.stop()
    }
  }

  @Test("edits, conflicts and deletions: both devices end with the same people, to the last digit")
  func edits() async throws {
    let devices = try await Devices()
    let (phone, laptop) = (devices.book("phone"), devices.book("laptop"))
    var eve = person("Eve")
    await phone.save([eve, person("Bob")])
    try await phone.syncEngine.sendChanges()
    try await laptop.syncEngine.fetchChanges()
    eve.name = "Eva"
    eve.edited = Date()
    await phone.save([eve])
    var other = eve
    other.name = "Evi"
    other.edited = eve.edited.addingTimeInterval(1e-6)
    await laptop.save([other])
    try await phone.syncEngine.sendChanges()
    await #expect(throws: CKError.self) { try await laptop.syncEngine.sendChanges() }
    try await laptop.syncEngine.sendChanges()
    try await phone.syncEngine.fetchChanges()
    #expect(await phone.people[eve.id] == other)
    #expect(await phone.people == laptop.people)
    await laptop.delete([other])
    try await laptop.syncEngine.sendChanges()
    try await phone.syncEngine.fetchChanges()
    #expect(await phone.people.keys.sorted() == laptop.people.keys.sorted())
    #expect(await phone.people.count == 1)
  }

  @Test("the same with engines that sync by themselves")
  func automatically() async throws {
    let devices = try await Devices()
    let phone = devices.book("phone", automaticallySync: true)
    let laptop = devices.book("laptop", automaticallySync: true)
    let eve = person("Eve")
    await phone.save([eve])
    try await waitUntil("the person to be on the laptop") { await laptop.people[eve.id] != nil }
    #expect(await laptop.people[eve.id] == eve)
    for book in [phone, laptop] {
      let events = await book.events
      #expect(events.first?.hasPrefix("accountChange(signIn") == true, "\(events)")
    }
  }
}
