import Foundation
import TestSupport
import Testing
import TidingsKit

@Suite(.endsServers) struct RemoteNotificationTests {
  @Test("a push reaches the user's other devices, with all that it shows")
  func push() async throws {
    let kit = try await KitServer()
    let (phone, laptop) = (kit.container(device: "phone"), kit.container(device: "laptop"))
    let info = CKSubscription.NotificationInfo()
    info.titleLocalizationKey = "NEW"
    info.titleLocalizationArgs = ["town"]
    info.alertBody = "A new house"
    info.soundName = "default"
    info.category = "houses"
    info.desiredKeys = ["town", "price", "rate"]
    info.shouldBadge = true
    try await laptop.privateCloudDatabase.subscribe(
      to: "Houses",
      [.firesOnRecordCreation, .firesOnRecordDeletion],
      info
    )
    let (onPhone, onLaptop) = (PushReader(), PushReader())
    try await onPhone.register(with: phone)
    try await onLaptop.register(with: laptop)
    try await laptop.privateCloudDatabase.save(
      "Houses",
      "villa",
      ["town": "Riga", "price": 250_000, "rate": 1.5]
    )
    try await laptop.privateCloudDatabase.deleteRecord(withID: .init(recordName: "villa"))
    try await onPhone.wait(for: 2)
    let pushes = onPhone.notifications.value
    let first = try #require(pushes.first as? CKQueryNotification)
    #expect(first.notificationType == .query)
    #expect(first.queryNotificationReason == .recordCreated)
    #expect(first.recordID == CKRecord.ID(recordName: "villa"))
    #expect(first.recordFields?["town"] as? String == "Riga")
    #expect(first.recordFields?["price"] as? Int == 250_000)
    #expect(first.recordFields?["rate"] as? Double == 1.5)
    #expect(first.databaseScope == .private && !first.isPublicDatabase)
    #expect(first.containerIdentifier == phone.containerIdentifier)
    #expect(first.subscriptionID == "all Houses")
    #expect(first.subscriptionOwnerUserRecordID == CKRecord.ID(recordName: "ada"))
    #expect(!first.isPruned)
    #expect(first.titleLocalizationKey == "NEW" && first.titleLocalizationArgs == ["Riga"])
    #expect(first.alertBody == "A new house" && first.soundName == "default")
    #expect(first.category == "houses")
    #expect(first.badge == 1)
    #expect(first.title == nil && first.subtitle == nil && first.alertLaunchImage == nil)
    let second = try #require(pushes.last as? CKQueryNotification)
    #expect(second.queryNotificationReason == .recordDeleted)
    #expect(second.recordFields == nil && second.badge == 2)

    // The phone answers: only the laptop receives.
    try await phone.privateCloudDatabase.save("Houses", "hut", ["town": "Oslo"])
    #expect(try await onLaptop.wait(for: 1) == ["hut"])
    #expect(onPhone.notifications.value.count == 2)
    #expect(onPhone.failures.value + onLaptop.failures.value == [])
  }

  @Test("zone, database and public subscriptions push notifications of their classes")
  func classes() async throws {
    let kit = try await KitServer()
    let (phone, laptop) = (kit.container(device: "phone"), kit.container(device: "laptop"))
    try await kit.createZone("notes")
    let zoneID = CKRecordZone.ID(zoneName: "notes")
    try await phone.privateCloudDatabase.save(
      CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "zone")
    )
    let reader = PushReader()
    try await reader.register(with: phone)
    let note = CKRecord(recordType: "Notes", recordID: .init(recordName: "a", zoneID: zoneID))
    try await laptop.privateCloudDatabase.save(note)
    try await reader.wait(for: 1)
    let zone = try #require(reader.notifications.value.last as? CKRecordZoneNotification)
    #expect(zone.notificationType == .recordZone)
    #expect(zone.recordZoneID == zoneID && zone.databaseScope == .private)
    try await phone.privateCloudDatabase.deleteSubscription(withID: "zone")
    try await phone.privateCloudDatabase.save(CKDatabaseSubscription(subscriptionID: "all"))
    note["text"] = "hello"
    try await laptop.privateCloudDatabase.save(note)
    try await reader.wait(for: 2)
    let database = try #require(reader.notifications.value.last as? CKDatabaseNotification)
    #expect(database.notificationType == .database && database.databaseScope == .private)
    #expect(database.subscriptionID == "all")
    let bob = kit.container(as: "bob").publicCloudDatabase
    try await bob.save("News", "yesterday")
    try await phone.publicCloudDatabase.subscribe(to: "News")
    try await bob.save("News", "today")
    try await reader.wait(for: 3)
    let query = try #require(reader.notifications.value.last as? CKQueryNotification)
    #expect(query.isPublicDatabase && query.recordID == CKRecord.ID(recordName: "today"))
  }

  @Test("no push is lost or doubled while the server restarts")
  func restarts() async throws {
    let kit = try await KitServer.lasting()
    let (phone, laptop) = (kit.container(device: "phone"), kit.container(device: "laptop"))
    try await phone.privateCloudDatabase.subscribe(to: "Words")
    let reader = PushReader()
    try await reader.register(with: phone)
    var server = kit.server
    var names: [String] = []
    for round in 0..<3 {
      for number in 0..<3 {
        names.append("word \(round) \(number)")
        try await laptop.privateCloudDatabase.save("Words", names.last ?? "")
      }
      if round == 1 { try await server.crash() } else { try await server.stop() }
      server = try await server.restarted()
    }
    names.append("last")
    try await laptop.privateCloudDatabase.save("Words", "last")
    #expect(try await reader.wait(for: names.count) == names)
    #expect(reader.failures.value == [])
  }

  @Test("pushes come one after another; the next comes when the handler was called or dropped")
  func serial() async throws {
    let kit = try await KitServer()
    let (phone, laptop) = (kit.container(device: "phone"), kit.container(device: "laptop"))
    try await phone.privateCloudDatabase.subscribe(to: "Words")

    final class Slow: CKRemoteNotificationDelegate {
      let handlers = Observed<[@Sendable (CKBackgroundFetchResult) -> Void]>([])
      let count = Observed(0)
      let isRegistered = Observed(false)
      func container(
        _ container: CKContainer,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler handler: @escaping @Sendable (CKBackgroundFetchResult) -> Void
      ) {
        // The first handler is kept, the second one dropped, the third one called twice.
        switch count.update({ (count: inout Int) -> Int in
          count += 1
          return count
        }) {
        case 1: handlers.update { $0.append(handler) }
        case 3:
          handler(.newData)
          handler(.noData)
        default: break
        }
      }
      func containerDidRegisterForRemoteNotifications(_ container: CKContainer) {
        isRegistered.update { $0 = true }
      }
    }
    let slow = Slow()
    phone.registerForRemoteNotifications(delegate: slow)
    try await slow.isRegistered.wait("the registration") { $0 }
    for name in ["a", "b", "c", "d"] {
      try await laptop.privateCloudDatabase.save("Words", name)
    }
    let handlers = try await slow.handlers.wait("the first push") { !$0.isEmpty }
    #expect(slow.count.value == 1)
    slow.handlers.update { $0 = [] }
    handlers.first?(.newData)
    try await slow.count.wait("all pushes") { $0 == 4 }
  }

  @Test("with a file, what came while nobody was registered is handed over once")
  func positions() async throws {
    let kit = try await KitServer()
    let (phone, laptop) = (kit.container(device: "phone"), kit.container(device: "laptop"))
    try await phone.privateCloudDatabase.subscribe(to: "Words")
    let folder = try TemporaryFolder()
    let file = URL(fileURLWithPath: folder.file("position"))
    try await laptop.privateCloudDatabase.save("Words", "before")
    let reader = PushReader()
    let first = try await reader.register(with: phone, positionFile: file)
    try await laptop.privateCloudDatabase.save("Words", "a")
    #expect(try await reader.wait(for: 1) == ["a"])
    await first.end()
    try await laptop.privateCloudDatabase.save("Words", "b")
    try await laptop.privateCloudDatabase.save("Words", "c")
    let second = try await reader.register(with: phone, positionFile: file)
    #expect(try await reader.wait(for: 3).suffix(2) == ["b", "c"])

    // One file is for one registration.
    let other = PushReader()
    phone.registerForRemoteNotifications(delegate: other, positionFile: file)
    let failures = try await other.failures.wait("the refusal") { !$0.isEmpty }
    #expect(failures.count == 1)
    withExtendedLifetime(other) {}
    await second.end()

    // What was not handled comes again.
    let isOpen = Observed(false)
    final class Holding: CKRemoteNotificationDelegate {
      let hold: @Sendable (@escaping @Sendable (CKBackgroundFetchResult) -> Void) -> Void
      init(
        _ hold: @escaping @Sendable (@escaping @Sendable (CKBackgroundFetchResult) -> Void) -> Void
      ) { self.hold = hold }
      func container(
        _ container: CKContainer,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler handler: @escaping @Sendable (CKBackgroundFetchResult) -> Void
      ) { hold(handler) }
    }
    let kept = Observed<[@Sendable (CKBackgroundFetchResult) -> Void]>([])
    let holding = Holding { handler in
      kept.update { $0.append(handler) }
      isOpen.update { $0 = true }
    }
    let third = phone.registerForRemoteNotifications(delegate: holding, positionFile: file)
    try await laptop.privateCloudDatabase.save("Words", "d")
    try await isOpen.wait("the push") { $0 }
    await third.end()
    withExtendedLifetime(holding) {}
    kept.value.first?(.newData)
    try await reader.register(with: phone, positionFile: file)
    #expect(try await reader.wait(for: 4) == ["a", "b", "c", "d"])
  }

  @Test("a closure can be registered, and a delegate that is gone ends its registration")
  func lifetimes() async throws {
    let kit = try await KitServer()
    let (phone, laptop) = (kit.container(device: "phone"), kit.container(device: "laptop"))
    try await phone.privateCloudDatabase.subscribe(to: "Words")
    let folder = try TemporaryFolder()
    let file = URL(fileURLWithPath: folder.file("position"))
    let (registration, isGone) = try await register(phone, file)
    // The queue of the registration may still be in a call of it.
    try await waitUntil("the delegate to be gone") { isGone() }
    try await laptop.privateCloudDatabase.save("Words", "a")
    await registration.ended()
    let heard = Observed<[String]>([])
    let closure = try await phone.registerForRemoteNotifications(positionFile: file) { userInfo in
      let notification = CKQueryNotification(fromRemoteNotificationDictionary: userInfo)
      heard.update { $0.append(notification?.recordID?.recordName ?? "?") }
    }
    #expect(try await heard.wait("the push") { !$0.isEmpty } == ["a"])
    await closure.end()
  }

  @Test("a push that is too large for its message arrives whole")
  func large() async throws {
    let kit = try await KitServer()
    let (phone, laptop) = (kit.container(device: "phone"), kit.container(device: "laptop"))
    let info = CKSubscription.NotificationInfo()
    info.desiredKeys = ["a", "b", "c"]
    info.alertBody = String(repeating: "long ", count: 800)
    try await phone.privateCloudDatabase.subscribe(to: "Notes", .firesOnRecordCreation, info)
    let reader = PushReader()
    try await reader.register(with: phone)
    let text = String(repeating: "x", count: 90)
    try await laptop.privateCloudDatabase.save("Notes", "n", ["a": text, "b": text, "c": text])
    try await reader.wait(for: 1)
    let push = try #require(reader.notifications.value.first as? CKQueryNotification)
    #expect(push.recordFields?["c"] as? String == text)
    #expect(push.alertBody == info.alertBody)
  }

  /// Registers a delegate that nobody keeps.
  private func register(
    _ container: CKContainer,
    _ file: URL
  ) async throws -> (CKRemoteNotificationRegistration, isGone: @Sendable () -> Bool) {
    let reader = PushReader()
    let registration = try await reader.register(with: container, positionFile: file)
    return (registration, { [weak reader] in reader == nil })
  }
}
