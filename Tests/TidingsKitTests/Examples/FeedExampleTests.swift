import Foundation
import Synchronization
import TestSupport
import Testing

#if canImport(CloudKit)
import CloudKit
#else
import TidingsKit
#endif

/// Posts in zones: a silent push shows that something changed, change tokens show what.
private final class Feed: CKRemoteNotificationDelegate {
  private struct State {
    var databaseToken: CKServerChangeToken?
    var zoneTokens: [CKRecordZone.ID: CKServerChangeToken] = [:]
    var posts: [String: String] = [:]
  }

  private let database: CKDatabase
  private let state = Mutex(State())
  let posts = Observed<[String: String]>([:])
  let isRegistered = Observed(false)

  init(_ database: CKDatabase) { self.database = database }

  /// Subscribes to the whole database, and fetches what is there.
  func start() async throws {
    let subscription = CKDatabaseSubscription(subscriptionID: "feed")
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    subscription.notificationInfo = info
    let operation = CKModifySubscriptionsOperation(
      subscriptionsToSave: [subscription],
      subscriptionIDsToDelete: []
    )
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      operation.modifySubscriptionsResultBlock = { continuation.resume(with: $0) }
      operation.qualityOfService = .utility
      database.add(operation)
    }
    try await fetchChanges()
  }

  func containerDidRegisterForRemoteNotifications(_ container: CKContainer) {
    isRegistered.update { $0 = true }
  }

  func container(
    _ container: CKContainer,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (CKBackgroundFetchResult) -> Void
  ) {
    guard CKNotification(fromRemoteNotificationDictionary: userInfo)?.subscriptionID == "feed"
    else {
      return completionHandler(.noData)
    }
    Task {
      do {
        try await fetchChanges()
        completionHandler(.newData)
      } catch {
        completionHandler(.failed)
      }
    }
  }

  private func fetchChanges() async throws {
    let changed = Observed<[CKRecordZone.ID]>([])
    let operation = CKFetchDatabaseChangesOperation(
      previousServerChangeToken: state.withLock { $0.databaseToken }
    )
    operation.recordZoneWithIDChangedBlock = { id in changed.update { $0.append(id) } }
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      operation.fetchDatabaseChangesResultBlock = { result in
        continuation.resume(
          with: result.map { end in self.state.withLock { $0.databaseToken = end.serverChangeToken }
          }
        )
      }
      database.add(operation)
    }
    if !changed.value.isEmpty { try await fetchZones(changed.value) }
    let all = state.withLock { $0.posts }
    posts.update { $0 = all }
  }

  private func fetchZones(_ ids: [CKRecordZone.ID]) async throws {
    var configurations: [CKRecordZone.ID: CKFetchRecordZoneChangesOperation.ZoneConfiguration] = [:]
    for id in ids {
      let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
      configuration.previousServerChangeToken = state.withLock { $0.zoneTokens[id] }
      configurations[id] = configuration
    }
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: ids,
      configurationsByRecordZoneID: configurations
    )
    operation.recordWasChangedBlock = { id, result in
      guard let text = try? result.get()["text"] as? String else { return }
      self.state.withLock { $0.posts[id.recordName] = text }
    }
    operation.recordWithIDWasDeletedBlock = { id, _ in
      self.state.withLock { $0.posts[id.recordName] = nil }
    }
    operation.recordZoneFetchResultBlock = { id, result in
      guard let end = try? result.get() else { return }
      self.state.withLock { $0.zoneTokens[id] = end.serverChangeToken }
    }
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      operation.fetchRecordZoneChangesResultBlock = { continuation.resume(with: $0) }
      database.add(operation)
    }
  }
}

@Suite(.endsServers) struct FeedExampleTests {
  @Test("a feed: silent pushes of a database subscription, and change tokens for what changed")
  func feed() async throws {
    let kit = try await KitServer()
    let phone = kit.container(device: "phone")
    let database = kit.container(device: "laptop").privateCloudDatabase
    let zone = try await database.save(CKRecordZone(zoneName: "posts"))
    let old = CKRecord(recordType: "Post", recordID: .init(recordName: "old", zoneID: zone.zoneID))
    old["text"] = "before"
    try await database.save(old)

    let feed = Feed(phone.privateCloudDatabase)
    try await feed.start()
    #expect(feed.posts.value == ["old": "before"])
    phone.registerForRemoteNotifications(delegate: feed)
    try await feed.isRegistered.wait("the registration") { $0 }

    let new = CKRecord(recordType: "Post", recordID: .init(recordName: "new", zoneID: zone.zoneID))
    new["text"] = "hello"
    try await database.save(new)
    old["text"] = "after"
    try await database.save(old)
    try await feed.posts.wait("both posts") { $0 == ["old": "after", "new": "hello"] }
    try await database.deleteRecord(withID: old.recordID)
    try await feed.posts.wait("the deletion") { $0 == ["new": "hello"] }
  }
}
