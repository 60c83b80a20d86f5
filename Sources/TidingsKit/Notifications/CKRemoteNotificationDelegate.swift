internal import Foundation

/// What handling a push came to, with UIBackgroundFetchResult's numbers.
public enum CKBackgroundFetchResult: UInt, Sendable {
  /// There was something new.
  case newData = 0
  /// There was nothing new.
  case noData = 1
  /// It could not be found out.
  case failed = 2
}

/// Receives pushes, as an application's delegate does: its methods are UIApplicationDelegate's, with the
/// container in the application's place.
///
/// Calls come one after another on a queue of the registration's own. A delegate has one of the two
/// `didReceiveRemoteNotification` methods; the one without a handler is for work that is done when it
/// returns.
public protocol CKRemoteNotificationDelegate: AnyObject, Sendable {
  /// A push arrived.
  ///
  /// - Parameters:
  ///   - container: Where it is from.
  ///   - userInfo: For `CKNotification(fromRemoteNotificationDictionary:)`.
  ///   - completionHandler: To be called when the work is done: the next push comes then, not before.
  ///     A handler that is dropped without being called counts as called.
  func container(
    _ container: CKContainer,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (CKBackgroundFetchResult) -> Void
  )

  /// A push arrived.
  func container(
    _ container: CKContainer,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any]
  )

  /// From here on every change that fires a subscription is pushed.
  func containerDidRegisterForRemoteNotifications(_ container: CKContainer)

  /// The registration ended, for a reason that waiting does not fix.
  ///
  /// A server that cannot be reached is no such reason: it is tried again until it can.
  func container(
    _ container: CKContainer,
    didFailToRegisterForRemoteNotificationsWithError error: any Error
  )

  /// Pushes were missed for so long that the server no longer has them, or its data was restored: fetch
  /// what changed.
  func containerDidMissRemoteNotifications(_ container: CKContainer)
}

extension CKRemoteNotificationDelegate {
  /// Calls the method without a handler.
  public func container(
    _ container: CKContainer,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (CKBackgroundFetchResult) -> Void
  ) {
    self.container(container, didReceiveRemoteNotification: userInfo)
    completionHandler(.newData)
  }

  /// Does nothing.
  public func container(
    _ container: CKContainer,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any]
  ) {}

  /// Does nothing.
  public func containerDidRegisterForRemoteNotifications(_ container: CKContainer) {}

  /// Does nothing.
  public func container(
    _ container: CKContainer,
    didFailToRegisterForRemoteNotificationsWithError error: any Error
  ) {}

  /// Does nothing.
  public func containerDidMissRemoteNotifications(_ container: CKContainer) {}
}
