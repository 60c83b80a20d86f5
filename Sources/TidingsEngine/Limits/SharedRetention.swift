internal import Synchronization

/// For how long the store keeps what is gone, and what it notified of.
public struct Retention: Hashable, Sendable {
  /// How long a deleted record or zone stays in the change feeds.
  public var tombstones = Duration.seconds(90 * 86_400)
  /// How long notifications are kept, in days.
  public var notificationDays = 30
  /// Notifications that are kept, in all channels; older ones go first.
  public var notificationsMax = 10_000_000

  /// The defaults.
  public init() {}
}

/// A retention that an administrator may set while loop and readers use it.
public final class SharedRetention: Sendable, Hashable {
  private let value: Mutex<Retention>

  /// A retention to begin with.
  public init(_ retention: Retention = Retention()) { value = Mutex(retention) }

  /// As it is now.
  public var current: Retention { value.withLock { $0 } }

  /// Sets it, for all who share it.
  func adopt(_ retention: Retention) { value.withLock { $0 = retention } }

  /// Whether both are the same now.
  public static func == (a: SharedRetention, b: SharedRetention) -> Bool { a.current == b.current }

  /// Hashes what it is now.
  public func hash(into hasher: inout Hasher) { hasher.combine(current) }
}
