import Foundation
import TestSupport
import Testing
import TidingsKit

@Suite(.endsServers) struct SubscriptionTests {
  @Test("a query subscription fires on every change, unless its options say otherwise")
  func defaults() {
    let every = NSPredicate(value: true)
    let all: CKQuerySubscription.Options = [
      .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
    ]
    let unnamed = CKQuerySubscription(recordType: "Houses", predicate: every)
    let named = CKQuerySubscription(recordType: "Houses", predicate: every, subscriptionID: "all")
    #expect(unnamed.querySubscriptionOptions == all && named.querySubscriptionOptions == all)
    // Optional, as in CloudKit, so that code which unwraps it compiles.
    if let type = named.recordType { #expect(type == "Houses") } else { Issue.record("no type") }
  }

  @Test("subscriptions are equal when all that is saved of them is")
  func equality() {
    func subscription(_ limit: Int) -> CKQuerySubscription {
      CKQuerySubscription(
        recordType: "Houses",
        predicate: NSPredicate(format: "price > %d", limit),
        subscriptionID: "houses"
      )
    }
    #expect(subscription(1) == subscription(1) && subscription(1) != subscription(2))
    #expect(Set([subscription(1), subscription(1), subscription(2)]).count == 2)
    let silent = CKDatabaseSubscription(subscriptionID: "all")
    let loud = CKDatabaseSubscription(subscriptionID: "all")
    loud.notificationInfo = CKSubscription.NotificationInfo(alertBody: "news")
    #expect(silent != loud)
  }

  @Test("a fetched subscription that is saved again says the same, whenever it fires")
  func roundTrip() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    for bits in (1 as UInt)..<64 where bits != 8 {
      let options = CKQuerySubscription.Options(rawValue: bits)
      let id = "s\(bits)"
      let subscription = CKQuerySubscription(
        recordType: "Houses\(bits)",
        predicate: NSPredicate(format: "price > %d", 100),
        subscriptionID: id,
        options: options
      )
      _ = try await database.save(subscription)
      for _ in 0..<2 {
        let fetched = try await database.subscription(for: id)
        let query = try #require(fetched as? CKQuerySubscription)
        #expect(query.querySubscriptionOptions == options)
        _ = try await database.save(query)
      }
      _ = try await database.deleteSubscription(withID: id)
    }
  }

  @Test("all kinds are saved, fetched and deleted with operations, each block once")
  func operations() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    let zone = CKRecordZone(zoneName: "notes")
    try await kit.createZone("notes")
    let query = CKQuerySubscription(
      recordType: "Houses",
      predicate: NSPredicate(format: "price > %d AND town == %@", 100, "Riga"),
      subscriptionID: "houses",
      options: [.firesOnRecordCreation, .firesOnRecordDeletion]
    )
    let info = CKSubscription.NotificationInfo()
    info.alertLocalizationKey = "NEW_HOUSE"
    info.alertLocalizationArgs = ["town"]
    info.shouldBadge = true
    info.desiredKeys = ["town", "price"]
    query.notificationInfo = info
    let zoneWide = CKRecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "zone")
    zoneWide.recordType = "Notes"
    let all = CKDatabaseSubscription(subscriptionID: "all")
    all.notificationInfo = CKNotificationInfo(shouldSendContentAvailable: true)

    let heard = Observed<[String]>([])
    let modify = CKModifySubscriptionsOperation(
      subscriptionsToSave: [query, zoneWide, all],
      subscriptionIDsToDelete: ["none"]
    )
    modify.perSubscriptionSaveBlock = { id, result in
      heard.update { $0.append("save \(id) \((try? result.get()) != nil)") }
    }
    modify.perSubscriptionDeleteBlock = { id, result in
      heard.update { $0.append("delete \(id) \((try? result.get()) != nil)") }
    }
    modify.modifySubscriptionsCompletionBlock = { saved, deleted, error in
      let inner = (error as? CKError)?.partialErrorsByItemID?["none"] as? CKError
      heard.update {
        $0.append("end \(saved?.count ?? -1) \(deleted?.count ?? -1) \(inner?.code.rawValue ?? 0)")
      }
    }
    modify.modifySubscriptionsResultBlock = { result in
      heard.update { $0.append("result \((try? result.get()) != nil)") }
    }
    modify.completionBlock = { heard.update { $0.append("completion") } }
    database.add(modify)
    let lines = try await heard.wait("the end") { $0.contains("completion") }
    #expect(
      lines == [
        "save houses true", "save zone true", "save all true", "delete none false", "end 3 0 11",
        "result false", "completion",
      ]
    )

    let fetched = Observed<[String: CKSubscription]?>(nil)
    let fetch = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
    fetch.fetchSubscriptionCompletionBlock = { found, error in
      #expect(error == nil)
      fetched.update { $0 = found }
    }
    database.add(fetch)
    let found = try #require(try await fetched.wait("subscriptions") { $0 != nil })
    let houses = try #require(found["houses"] as? CKQuerySubscription)
    #expect(houses.recordType == "Houses")
    #expect(houses.querySubscriptionOptions == [.firesOnRecordCreation, .firesOnRecordDeletion])
    #expect(houses.notificationInfo?.alertLocalizationArgs == ["town"])
    #expect(houses.notificationInfo?.desiredKeys == ["town", "price"])
    #expect(houses.notificationInfo?.shouldBadge == true)
    #expect(houses.notificationInfo?.alertBody == nil)
    #expect((found["zone"] as? CKRecordZoneSubscription)?.zoneID == zone.zoneID)
    #expect((found["zone"] as? CKRecordZoneSubscription)?.recordType == "Notes")
    #expect(found["all"]?.subscriptionType == .database)
    #expect(found["all"]?.notificationInfo?.shouldSendContentAvailable == true)
    // What was fetched says the same to the server: saving it changes nothing.
    try await database.save(houses)
    #expect(
      try await database.allSubscriptions().map(\.subscriptionID) == ["all", "houses", "zone"]
    )
  }

  @Test("handlers and async forms give the item's own error")
  func conveniences() async throws {
    let kit = try await KitServer()
    let database = kit.container().publicCloudDatabase
    let subscription = CKQuerySubscription(
      recordType: "Houses",
      predicate: NSPredicate(value: true),
      options: .firesOnRecordCreation
    )
    let id = subscription.subscriptionID
    let saved: CKSubscription? = await withCheckedContinuation { continuation in
      database.save(subscription) { saved, error in
        #expect(error == nil)
        continuation.resume(returning: saved)
      }
    }
    #expect(saved?.subscriptionID == id)
    let fetched: CKSubscription? = await withCheckedContinuation { continuation in
      database.fetch(withSubscriptionID: id) { subscription, error in
        #expect(error == nil)
        continuation.resume(returning: subscription)
      }
    }
    #expect((fetched as? CKQuerySubscription)?.predicate == NSPredicate(value: true))
    let all: Int? = await withCheckedContinuation { continuation in
      database.fetchAllSubscriptions { all, _ in continuation.resume(returning: all?.count) }
    }
    #expect(all == 1)
    let same = CKQuerySubscription(
      recordType: "Houses",
      predicate: NSPredicate(value: true),
      subscriptionID: "other",
      options: .firesOnRecordCreation
    )
    await #expect { try await database.save(same) } throws: {
      ($0 as? CKError)?.code == .serverRejectedRequest && "\($0.localizedDescription)".contains(id)
    }
    let results = try await database.subscriptions(for: [id, "none"])
    #expect(try results[id]?.get().subscriptionID == id)
    #expect(throws: CKError.self) { try results["none"]?.get() }
    let deleted: String? = await withCheckedContinuation { continuation in
      database.delete(withSubscriptionID: id) { id, error in
        #expect(error == nil)
        continuation.resume(returning: id)
      }
    }
    #expect(deleted == id)
    await #expect {
      try await database.subscription(for: id)
    } throws: {
      ($0 as? CKError)?.code == .unknownItem
    }
    await #expect {
      try await database.deleteSubscription(withID: id)
    } throws: {
      ($0 as? CKError)?.code == .unknownItem
    }
    #expect(try await database.subscriptions(for: []).isEmpty)
    let block = CKQuerySubscription(
      recordType: "Houses",
      predicate: NSPredicate { _, _ in true },
      subscriptionID: "block",
      options: .firesOnRecordCreation
    )
    let mixed = try await database.modifySubscriptions(saving: [block, same], deleting: ["none"])
    #expect(throws: CKError.self) { try mixed.saveResults["block"]?.get() }
    #expect(try mixed.saveResults["other"]?.get() === same)
    #expect(throws: CKError.self) { try mixed.deleteResults["none"]?.get() }
  }

  @Test("the oldest initializers make subscriptions of the right kind")
  func older() {
    let query = CKSubscription(
      recordType: "Houses",
      predicate: NSPredicate(format: "TRUEPREDICATE"),
      options: [.firesOnRecordCreation, .firesOnce]
    )
    #expect((query as? CKQuerySubscription)?.querySubscriptionOptions.contains(.firesOnce) == true)
    #expect(!query.subscriptionID.isEmpty)
    let options: CKSubscriptionOptions = .firesOnRecordUpdate
    let named = CKSubscription(
      recordType: "Houses",
      predicate: NSPredicate(value: true),
      subscriptionID: "named",
      options: options
    )
    #expect(named is CKQuerySubscription && named.subscriptionID == "named")
    let zone = CKSubscription(zoneID: CKRecordZoneID(zoneName: "z"), options: [])
    #expect((zone as? CKRecordZoneSubscription)?.zoneID.zoneName == "z")
    // The class's own initializers go on making the class.
    let own = CKQuerySubscription(recordType: "A", predicate: NSPredicate(value: true), options: [])
    #expect(own.recordType == "A")
  }

  @Test("subscriptions survive archives and copies")
  func archives() throws {
    let query = CKQuerySubscription(
      recordType: "Houses",
      predicate: NSPredicate(format: "town == %@", "Riga"),
      subscriptionID: "houses",
      options: [.firesOnRecordUpdate]
    )
    query.zoneID = CKRecordZone.ID(zoneName: "notes")
    query.notificationInfo = CKSubscription.NotificationInfo(alertBody: "new", soundName: "default")
    let data = try NSKeyedArchiver.archivedData(withRootObject: query, requiringSecureCoding: true)
    let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQuerySubscription.self, from: data)
    for copy in [read, query.copy() as? CKQuerySubscription] {
      #expect(copy?.subscriptionID == "houses" && copy?.recordType == "Houses")
      #expect(copy?.zoneID == query.zoneID)
      #expect(copy?.querySubscriptionOptions == .firesOnRecordUpdate)
      #expect(copy?.notificationInfo?.alertBody == "new")
      #expect(copy?.notificationInfo !== query.notificationInfo)
    }
    let zone = CKRecordZoneSubscription(zoneID: .init(zoneName: "z"), subscriptionID: "zone")
    let zoneData = try NSKeyedArchiver.archivedData(
      withRootObject: zone,
      requiringSecureCoding: true
    )
    let zoneCopy = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: CKRecordZoneSubscription.self,
      from: zoneData
    )
    #expect(zoneCopy?.zoneID == zone.zoneID && zoneCopy?.subscriptionID == "zone")
    #expect((CKDatabaseSubscription().copy() as? CKDatabaseSubscription) != nil)
  }

  @Test("an operation that is cancelled shows its end once")
  func cancelled() async throws {
    let kit = try await KitServer()
    let heard = Observed<[Int]>([])
    let fetch = CKFetchSubscriptionsOperation(subscriptionIDs: ["a"])
    fetch.fetchSubscriptionsResultBlock = { result in
      heard.update { $0.append((result.failureCode)?.rawValue ?? 0) }
    }
    fetch.completionBlock = { heard.update { $0.append(-1) } }
    fetch.cancel()
    kit.container().privateCloudDatabase.add(fetch)
    let lines = try await heard.wait("the end") { $0.contains(-1) }
    #expect(lines == [CKError.Code.operationCancelled.rawValue, -1])
  }
}

extension Result where Failure == any Error {
  var failureCode: CKError.Code? {
    if case .failure(let error) = self { (error as? CKError)?.code } else { nil }
  }
}
