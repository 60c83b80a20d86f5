internal import Synchronization
internal import TidingsModel

/// Shows the steady time of a store to threads beside the one that writes.
public final class SteadyClock: Sendable {
  /// Steady time less uptime; the engine of the store sets it.
  private let offset: Atomic<Int64>

  /// A clock that shows the time of day until an engine sets it.
  public init() { offset = Atomic(Timestamp.now.millisecondsSince1970 - systemUptime()) }

  /// The steady time.
  public var now: SteadyTime {
    SteadyTime(milliseconds: systemUptime() + offset.load(ordering: .relaxed))
  }

  func set(offset new: Int64) { offset.store(new, ordering: .relaxed) }
}
