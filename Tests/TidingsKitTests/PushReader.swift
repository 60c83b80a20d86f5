import Foundation
import TestSupport
import TidingsKit

/// A delegate that keeps what it receives.
final class PushReader: CKRemoteNotificationDelegate {
  let isRegistered = Observed(false)
  let notifications = Observed<[CKNotification]>([])
  let failures = Observed<[String]>([])

  func container(
    _ container: CKContainer,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (CKBackgroundFetchResult) -> Void
  ) {
    if let notification = CKNotification(fromRemoteNotificationDictionary: userInfo) {
      // First, so that what a test has seen is handled.
      completionHandler(.newData)
      notifications.update { $0.append(notification) }
    } else {
      let text = "no notification: \(userInfo)"
      failures.update { $0.append(text) }
      completionHandler(.failed)
    }
  }

  func containerDidRegisterForRemoteNotifications(_ container: CKContainer) {
    isRegistered.update { $0 = true }
  }

  func container(
    _ container: CKContainer,
    didFailToRegisterForRemoteNotificationsWithError error: any Error
  ) { failures.update { $0.append("\(error)") } }

  /// Registers with a container, and waits until that is in effect.
  @discardableResult
  func register(
    with container: CKContainer,
    positionFile: URL? = nil
  ) async throws -> CKRemoteNotificationRegistration {
    isRegistered.update { $0 = false }
    let registration = container.registerForRemoteNotifications(
      delegate: self,
      positionFile: positionFile
    )
    try await isRegistered.wait("the registration") { $0 }
    return registration
  }

  /// Waits for so many pushes, and gives the names of their records.
  @discardableResult
  func wait(for count: Int) async throws -> [String] {
    try await notifications.wait("\(count) pushes") { $0.count >= count }
      .map { ($0 as? CKQueryNotification)?.recordID?.recordName ?? "?" }
  }
}

extension CKDatabase {
  /// Saves a record with fields.
  func save(
    _ type: String,
    _ name: String,
    _ fields: [String: any CKRecordValue] = [:]
  ) async throws {
    let record = CKRecord(recordType: type, recordID: CKRecord.ID(recordName: name))
    for (key, value) in fields { record[key] = value }
    try await save(record)
  }

  /// Subscribes to a type's records.
  func subscribe(
    to type: String,
    _ options: CKQuerySubscription.Options = [
      .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
    ],
    _ info: CKSubscription.NotificationInfo? = nil
  ) async throws {
    let subscription = CKQuerySubscription(
      recordType: type,
      predicate: NSPredicate(value: true),
      subscriptionID: "all \(type)",
      options: options
    )
    subscription.notificationInfo = info
    try await save(subscription)
  }
}
