import Foundation
import TestSupport
import Testing

#if canImport(CloudKit)
import CloudKit
#else
import TidingsKit
#endif

/// One record of settings that all instances of a program follow.
private final class Settings: Sendable {
  static let recordID = CKRecord.ID(recordName: "settings")

  let database: CKDatabase
  let current = Observed<[String: Int]>([:])

  init(_ database: CKDatabase) { self.database = database }

  /// Follows the record from now on.
  func start() async throws {
    let subscription = CKQuerySubscription(
      recordType: "Settings",
      predicate: NSPredicate(value: true),
      subscriptionID: "settings",
      options: [.firesOnRecordCreation, .firesOnRecordUpdate]
    )
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    subscription.notificationInfo = info
    try await database.save(subscription)
    try await load()
  }

  func load() async throws {
    do {
      let record = try await database.record(for: Self.recordID)
      current.update { current in
        for key in record.allKeys() { current[key] = record[key] as? Int }
      }
    } catch let error as CKError where error.code == .unknownItem {
      // Nobody has set anything yet.
    }
  }

  /// Sets a value; when another instance saved meanwhile, on top of what that one saved.
  func set(_ key: String, _ value: Int) async throws {
    var record =
      (try? await database.record(for: Self.recordID))
      ?? CKRecord(recordType: "Settings", recordID: Self.recordID)
    while true {
      record[key] = value
      do {
        try await database.save(record)
        current.update { $0[key] = value }
        return
      } catch let error as CKError where error.code == .serverRecordChanged {
        guard let server = error.serverRecord else { throw error }
        record = server
      }
    }
  }
}

@Suite(.endsServers) struct SettingsExampleTests {
  @Test("a settings record: every instance has what any of them set")
  func settings() async throws {
    let kit = try await KitServer()
    let containers = (0..<3).map { kit.container(device: "instance-\($0)") }
    let all = containers.map { Settings($0.privateCloudDatabase) }
    for (container, settings) in zip(containers, all) {
      try await settings.start()
      try await container.registerForRemoteNotifications { _ in
        Task { try await settings.load() }
      }
    }
    try await all[0].set("volume", 7)
    // Two at once: one of them saves on top of the other.
    async let first: Void = all[1].set("speed", 2)
    async let second: Void = all[2].set("light", 3)
    _ = try await (first, second)
    for settings in all {
      try await settings.load()
      #expect(settings.current.value == ["volume": 7, "speed": 2, "light": 3])
    }
    try await all[0].set("volume", 9)
    for settings in all {
      try await settings.current.wait("the new volume") { $0["volume"] == 9 }
    }
  }
}
