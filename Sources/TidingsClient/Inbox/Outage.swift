internal import Synchronization

/// The time in which the server could not be reached, or was slow.
final class Outage: Sendable {
  private let began = Mutex<ContinuousClock.Instant?>(nil)

  /// The events of an inbox about its stream's connection.
  func event(of connection: NotificationStream.Connection) -> NotificationInbox.Event? {
    began.withLock { began in
      switch connection {
      case .lost(let error):
        began = began ?? .now
        return .lost(error)
      case .slow(let error):
        began = began ?? .now
        return .slow(error)
      case .restored:
        defer { began = nil }
        return began.map { .restored(after: $0.duration(to: .now)) }
      }
    }
  }
}
