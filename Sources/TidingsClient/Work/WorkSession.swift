internal import Synchronization
internal import TidingsProto
internal import TidingsRPC

/// One iteration over a group's work: what it holds, and what wakes it.
final class WorkSession: Sendable {
  /// Between two looks though a lease is about to end.
  private static let shortestPause = Duration.milliseconds(20)

  private let workers: NotificationWorkers
  private let signal = WorkSignal()
  private let keeper: LeaseKeeper
  /// Leased and not yielded yet, the next one last.
  private let waiting = Mutex<[NotificationLease]>([])
  private let watch: Task<Void, Never>

  init(_ workers: NotificationWorkers) {
    self.workers = workers
    keeper = LeaseKeeper(
      workers.client,
      group: workers.group,
      timeout: workers.timeout,
      signal: signal
    )
    let watcher = PushWatch(client: workers.client, signal: signal)
    watch = Task { await watcher.run() }
  }

  deinit {
    watch.cancel()
    // Nobody works on these: others get them at once.
    let leases = waiting.withLock { $0 }
    if !leases.isEmpty { Task { for lease in leases { try? await lease.release() } } }
  }

  /// The next notification; `nil`: there was none, look again.
  func next() async throws(RPCError) -> NotificationLease? {
    if let lease = waiting.withLock({ $0.popLast() }) { return lease.isLost ? nil : lease }
    let room = workers.concurrency - keeper.count
    guard room > 0 else {
      await signal.wait(for: workers.client.configuration.reconcileInterval)
      return nil
    }
    signal.lower()
    let page = try await lease(room)
    let leases = page.notifications.map { NotificationLease($0, keeper) }
    for lease in leases { keeper.hold(lease) }
    if let first = leases.first {
      waiting.withLock { $0 = leases.dropFirst().reversed() }
      return first
    }
    if !page.moreComing { await signal.wait(for: pause(until: page.nextExpiry)) }
    return nil
  }

  private func lease(_ room: Int) async throws(RPCError) -> TidingsV1.LeaseNotificationsResponse {
    let configuration = workers.client.configuration
    return try await workers.client.notifications.leaseNotifications(
      .init(
        container: configuration.container,
        environment: configuration.environment,
        group: workers.group,
        limit: UInt32(clamping: room),
        visibilityTimeout: .init(workers.timeout),
        startsAtEnd: workers.startsAtEnd
      )
    )
  }

  private func pause(until expiry: GoogleProtobuf.Duration?) -> Duration {
    let longest = workers.client.configuration.reconcileInterval
    guard let expiry else { return longest }
    let time = Duration.seconds(expiry.seconds) + .nanoseconds(Int64(expiry.nanos))
    return min(longest, max(time, Self.shortestPause))
  }
}
