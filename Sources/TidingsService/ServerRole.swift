internal import Synchronization
internal import TidingsZeroMQ

/// A server in one of its roles: it has the store, or follows the node that has it.
protocol ServerRole: Sendable {
  var server: RPCServer { get }
  /// What it reports of its health.
  var health: HealthState { get }

  /// Returns when its loop has ended, with why.
  func ended() async -> RoleEnd
}

/// Why a role ends, set on any thread before its loop ends.
final class RoleEndBox: Sendable {
  private let end = Mutex<RoleEnd>(.stopped)

  /// The reason.
  var value: RoleEnd { end.withLock { $0 } }

  func set(_ reason: RoleEnd) { end.withLock { $0 = reason } }
}
