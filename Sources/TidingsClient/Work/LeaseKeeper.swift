internal import Synchronization
internal import TidingsProto
internal import TidingsRPC

/// The leases that are held: extends them until they are settled, dropped or lost.
final class LeaseKeeper: Sendable {
  private struct Held {
    weak var lease: NotificationLease?
  }

  private struct State {
    var held: [String: Held] = [:]
    var isExtending = false
  }

  /// Most leases in a call to the server.
  private static let leasesPerCallMax = 100

  let client: Client
  let group: String
  let timeout: Duration
  let signal: WorkSignal
  private let state = Mutex(State())

  init(_ client: Client, group: String, timeout: Duration, signal: WorkSignal) {
    self.client = client
    self.group = group
    self.timeout = timeout
    self.signal = signal
  }

  /// How many leases are held.
  var count: Int { state.withLock(\.held.count) }

  /// Extends a lease from now on.
  func hold(_ lease: NotificationLease) {
    let mustStart = state.withLock { state in
      state.held[lease.leaseID] = Held(lease: lease)
      defer { state.isExtending = true }
      return !state.isExtending
    }
    // It works as long as anything is held, for whoever holds it.
    if mustStart { Task { await extendAll() } }
  }

  /// Extends a lease no longer.
  func forget(_ leaseID: String) {
    state.withLock { _ = $0.held.removeValue(forKey: leaseID) }
    signal.raise()
  }

  /// Settles leases.
  ///
  /// - Returns: For each, why it failed, or `nil`.
  func settle(
    _ leaseIDs: [String],
    as settlement: TidingsV1.Settlement,
    marksRead: Bool = false,
    for timeout: Duration? = nil
  ) async throws(RPCError) -> [TidingsV1.ItemError?] {
    let configuration = client.configuration
    let response = try await client.notifications.settleNotifications(
      .init(
        container: configuration.container,
        environment: configuration.environment,
        group: group,
        leaseIDs: leaseIDs,
        settlement: settlement,
        marksRead: marksRead,
        visibilityTimeout: timeout.map { .init($0) }
      )
    )
    return response.results.map { result in
      if case .error(let error)? = result.outcome { error } else { nil }
    }
  }

  private func extendAll() async {
    while true {
      try? await Task.sleep(for: timeout / 3)
      let ids = state.withLock { state in
        if state.held.isEmpty { state.isExtending = false }
        return Array(state.held.keys)
      }
      if ids.isEmpty { return }
      var rest = ids[...]
      while !rest.isEmpty {
        let part = Array(rest.prefix(Self.leasesPerCallMax))
        rest = rest.dropFirst(part.count)
        await extend(part)
      }
    }
  }

  /// A server that cannot be reached is asked again next time: until somebody else has a notification,
  /// its lease can be extended though it ended.
  private func extend(_ ids: [String]) async {
    guard let errors = try? await settle(ids, as: .extended, for: timeout) else { return }
    for case (let id, let error?) in zip(ids, errors) {
      let lease = state.withLock { $0.held[id]?.lease }
      if lease?.lose(error.message) ?? true { forget(id) }
    }
  }
}

extension GoogleProtobuf.Duration {
  /// A time in the request.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(seconds: seconds, nanos: Int32(attoseconds / 1_000_000_000))
  }
}
