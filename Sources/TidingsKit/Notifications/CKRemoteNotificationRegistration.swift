public import Foundation
internal import Synchronization

/// A delegate that receives a container's pushes, until this is ended or the delegate is gone.
///
/// It need not be kept.
public final class CKRemoteNotificationRegistration: NSObject, Sendable {
  private let task: Task<Void, Never>

  init(_ loop: PushLoop) {
    // It outlives the span in which it is made.
    task = CKContainer.$traceParent.withValue(nil) { Task { await loop.run() } }
    super.init()
  }

  /// Ends it; a call of the delegate that has begun goes on.
  ///
  /// A push whose handler was not called yet comes again to the next registration with the same file.
  public func end() { task.cancel() }

  /// Ends it, and waits until it has ended: the file of its position is free then.
  public func end() async {
    task.cancel()
    await task.value
  }

  /// Waits until it has ended by itself: the delegate is gone, or something failed for good.
  public func ended() async { await task.value }
}

extension CKContainer {
  /// Hands each push to a delegate.
  ///
  /// Each notification is handed over once and in order, also when the connection was lost or the server
  /// restarted meanwhile. Returns immediately; `containerDidRegisterForRemoteNotifications` is called when it
  /// is in effect. While the server cannot be reached it is tried again.
  ///
  /// - Parameters:
  ///   - delegate: The recipient; not retained.
  ///   - positionFile: Keeps which pushes were handled, so that those that came while the program did not
  ///     run are handed over when it runs again. Of this registration alone, and its folder must exist.
  ///     `nil`: pushes from now on; what was missed is found with change tokens.
  /// - Returns: To be ended; it need not be kept.
  @discardableResult
  public func registerForRemoteNotifications(
    delegate: any CKRemoteNotificationDelegate,
    positionFile: URL? = nil
  ) -> CKRemoteNotificationRegistration {
    let loop = PushLoop(self, PushAddressee(delegate, of: self), positionFile: positionFile)
    return CKRemoteNotificationRegistration(loop)
  }

  /// Hands each push to a closure, as `registerForRemoteNotifications(delegate:positionFile:)` does.
  ///
  /// - Parameters:
  ///   - positionFile: Keeps which pushes were handled.
  ///   - handler: Called for each push; the next one comes when it has returned.
  /// - Returns: To be ended; it need not be kept.
  @discardableResult
  public func registerForRemoteNotifications(
    positionFile: URL? = nil,
    handler: @escaping @Sendable ([AnyHashable: Any]) -> Void
  ) -> CKRemoteNotificationRegistration {
    register(ClosureDelegate(handler), positionFile)
  }

  /// Hands each push to a closure from when this returns.
  ///
  /// - Parameters:
  ///   - positionFile: Keeps which pushes were handled.
  ///   - handler: Called for each push; the next one comes when it has returned.
  /// - Returns: To be ended; it need not be kept.
  /// - Throws: Why it cannot be in effect; a server that cannot be reached is waited for.
  @discardableResult
  public func registerForRemoteNotifications(
    positionFile: URL? = nil,
    handler: @escaping @Sendable ([AnyHashable: Any]) -> Void
  ) async throws -> CKRemoteNotificationRegistration {
    let delegate = ClosureDelegate(handler)
    let registration = register(delegate, positionFile)
    guard await delegate.start.wait() else {
      await registration.end()
      throw delegate.failure.withLock { $0 } ?? CKError.cancelled
    }
    return registration
  }

  private func register(
    _ delegate: ClosureDelegate,
    _ positionFile: URL?
  ) -> CKRemoteNotificationRegistration {
    let addressee = PushAddressee(delegate, of: self, retaining: delegate)
    return CKRemoteNotificationRegistration(
      PushLoop(self, addressee, positionFile: positionFile)
    )
  }
}

/// A closure as a delegate.
private final class ClosureDelegate: CKRemoteNotificationDelegate {
  private let handler: @Sendable ([AnyHashable: Any]) -> Void
  /// Closed when the registration is in effect, or failed.
  let start = PushReceipt()
  let failure = Mutex<(any Error)?>(nil)

  init(_ handler: @escaping @Sendable ([AnyHashable: Any]) -> Void) { self.handler = handler }

  func container(
    _ container: CKContainer,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any]
  ) { handler(userInfo) }

  func containerDidRegisterForRemoteNotifications(_ container: CKContainer) {
    start.close(isHandled: true)
  }

  func container(
    _ container: CKContainer,
    didFailToRegisterForRemoteNotificationsWithError error: any Error
  ) {
    failure.withLock { $0 = error }
    start.close(isHandled: false)
  }
}
