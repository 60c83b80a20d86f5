#if PostgreSQL
internal import Synchronization
internal import TidingsEngine
internal import TidingsLogging
internal import TidingsPostgres
internal import TidingsProto
internal import TidingsRPC
internal import TidingsThreads
internal import TidingsZeroMQ

/// A node that follows: it hands all calls to the node that leads, and publishes what that publishes.
struct FollowingServer: ServerRole {
  let server: RPCServer
  let health: HealthState
  private let end: RoleEndBox
  private let watch: LeaderWatch

  /// Starts it.
  ///
  /// - Parameters:
  ///   - setup: How.
  ///   - address: The database.
  ///   - newest: A commit that the database must have; `nil`: none is known.
  ///   - pause: This node does not lead before that has passed.
  ///   - isDrained: It takes no calls until an administrator says so.
  /// - Returns: The server, once its sockets are bound.
  /// - Throws: `TransportError`, `SQLError`.
  static func start(
    _ setup: ServerSetup,
    _ address: PostgresAddress,
    newest: CommitMark? = nil,
    canLeadAfter pause: Duration = .zero,
    isDrained: Bool = false
  ) async throws -> FollowingServer {
    let (health, end, remote) = (HealthState(), RoleEndBox(), FollowerRemote())
    health.setServing(false)
    // Before anybody connects; what a node that is just making the tables does not have yet is read later.
    if setup.pair != nil {
      try? setup.admittedKeys.load(from: PostgresConnection(address, profile: .reader))
    }
    let watch = LeaderWatch(
      address,
      setup.settings,
      setup.name,
      setup.leaderKeys,
      setup.admittedKeys,
      setup.logger,
      newest: newest,
      canLeadAfter: pause,
      .init(
        follows: { leader in remote.submit { $0.follow(leader, on: $1) } },
        hasLost: { commit in remote.submit { follower, _ in follower.lostCommit = commit } },
        leads: { taken in
          end.set(.leads(taken))
          remote.submit { $0.end(on: $1) }
          remote.foundLeader()
        }
      )
    )
    let server = try await RPCServer.start(setup.configuration) { loop in
      let follower = Follower(
        try Forwarding(
          setup.nodeSecurity,
          waitingMethods: FollowedServices.waitingMethods,
          memory: loop.configuration.memory
        ),
        setup.node(loop),
        health,
        setup.logger,
        setup.callLog,
        setup.admittedKeys,
        startedAt: setup.started,
        onDrained: { setup.drained.yield() },
        keysChanged: { watch.keysChanged() },
        linkChanged: { isLinked in
          watch.linkChanged(isLinked)
          if isLinked { remote.foundLeader() }
        }
      )
      loop.servicesWhileDraining = [
        TidingsV1.AdminService.descriptor.name, TidingsRpcV1.ServerService.descriptor.name,
        TidingsRpcV1.HealthService.descriptor.name,
      ]
      follower.attach(to: loop)
      setup.callLog.follow(loop)
      if isDrained { loop.drain() }
      remote.attach(follower, loop.remote)
      loop.registerHealth(health, of: FollowedServices.descriptors)
    }
    setup.unknownKeys.set { watch.readKeysNow() }
    watch.start()
    // Whoever waits for this server to be ready can call it then, if it has a leader. One that has taken the database
    // meanwhile is to lead at once: its sockets are being closed, and nobody else can lead.
    await remote.leader(within: leaderPatience)
    return FollowingServer(server: server, health: health, end: end, watch: watch)
  }

  private static let leaderPatience = Duration.seconds(5)

  func ended() async -> RoleEnd {
    await server.waitUntilEnded()
    watch.stop()
    return end.value
  }
}

/// The way to the follower from other threads: what they ask for is done on the loop's thread.
final class FollowerRemote: Sendable {
  /// Unchecked: used by jobs on the loop's thread only.
  private final class Reference: @unchecked Sendable {
    weak var follower: Follower?
  }

  private let reference = Reference()
  private let loop = Mutex<LoopRemote?>(nil)
  private let found = OneTimeSignal()

  /// The follower is connected to a leader, or this node has taken the database.
  func foundLeader() { found.fire() }

  /// Returns when a leader was found, or the time has passed.
  func leader(within patience: Duration) async {
    let timeout = Task { [found] in
      try? await Task.sleep(for: patience)
      found.fire()
    }
    await found.wait()
    timeout.cancel()
  }

  /// From now on jobs find the follower; called on the loop's thread, before other threads submit any.
  func attach(_ follower: Follower, _ remote: LoopRemote) {
    reference.follower = follower
    loop.withLock { $0 = remote }
  }

  /// Runs a closure on the loop's thread.
  func submit(_ job: @escaping @Sendable (Follower, LoopContext) -> Void) {
    loop.withLock { $0 }?.submit { [reference] loop in
      if let follower = reference.follower { job(follower, loop) }
    }
  }
}
#endif
