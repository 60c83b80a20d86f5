internal import Synchronization
internal import TidingsEngine
internal import TidingsHTTP
public import TidingsKeys
internal import TidingsLogging
internal import TidingsOperator
internal import TidingsPostgres
internal import TidingsRPC
internal import TidingsSQL
internal import TidingsThreads
internal import TidingsTracing
internal import TidingsZeroMQ

/// A running server: the sockets, the loop, and the store or the way to the node that has it.
///
/// With a PostgreSQL database it is a node: it leads, if no other node does, or follows the one that leads, and takes its
/// role over when that ends. A change of role closes its sockets and opens them again.
public final class TidingsServer: Sendable {
  /// The version of this program.
  public static let version = Version.current

  /// Where calls go, as bound.
  public let rpcEndpoint: String
  /// Where pushes come from, as bound.
  public let pushEndpoint: String
  /// What clients must know to connect; `nil`: it is in development mode.
  public let publicKey: PublicKey?

  private struct State {
    var role: any ServerRole
    /// The role has ended, and the next one begins.
    var isChanging = false
    var isStopping = false
  }

  /// Where monitoring systems ask for metrics and health, as bound; `nil`: nowhere.
  public let operatorAddress: String?

  private let setup: ServerSetup
  private let observation: ServerObservation
  private let operatorEndpoint: OperatorEndpoint?
  private let state: Mutex<State>
  private let logger: Logger
  private let drainedStream: AsyncStream<Void>
  private let endedSignal = OneTimeSignal()

  /// Starts a server.
  ///
  /// - Returns: The server, once it answers.
  /// - Throws: `StartError` with what is wrong and what to do.
  public static func start(_ settings: ServerSettings) async throws -> TidingsServer {
    let logger = Logger(level: settings.logLevel, format: settings.logFormat)
    let drained = AsyncStream<Void>.makeStream()
    var setup = try ServerSetup(settings, logger, drained: drained.continuation)
    let observation = ServerObservation(setup.tracer)
    let endpoint = try settings.operatorAddress.map { try observation.listen($0) }
    if let endpoint, !endpoint.address.isLoopback {
      logger.log(
        .warning,
        "the operator endpoint has no authentication, and other machines can reach it",
        ["endpoint": endpoint.address.description]
      )
    }
    do {
      let role = try await firstRole(setup)
      setup.keepEndpoints(of: role.server)
      observation.set(role)
      let server = TidingsServer(setup, role, drained.stream, observation, endpoint)
      Task { await server.run(from: role) }
      return server
    } catch {
      throw setup.startError(error)
    }
  }

  private init(
    _ setup: ServerSetup,
    _ role: any ServerRole,
    _ drainedStream: AsyncStream<Void>,
    _ observation: ServerObservation,
    _ operatorEndpoint: OperatorEndpoint?
  ) {
    self.setup = setup
    self.drainedStream = drainedStream
    (self.observation, self.operatorEndpoint) = (observation, operatorEndpoint)
    operatorAddress = operatorEndpoint?.address.description
    logger = setup.logger
    publicKey = setup.pair?.publicKey
    rpcEndpoint = role.server.endpoint
    pushEndpoint = role.server.pushEndpoint ?? ""
    state = Mutex(State(role: role))
  }

  /// Returns when the server has ended, whether it was stopped or its sockets failed.
  public func ended() async { await endedSignal.wait() }

  /// Waits until an administrator wants the server to end, and its calls have ended.
  ///
  /// To be called once.
  ///
  /// - Returns: Whether it is to be stopped; `false`: it has gone by itself.
  public func drained() async -> Bool {
    for await _ in drainedStream { return true }
    return false
  }

  /// Runs a closure on the loop's thread, in its next turn: never, while the loop hangs.
  ///
  /// - Returns: `false` when the loop has ended or too much waits already; it will not run.
  public func onLoop(_ job: @escaping @Sendable () -> Void) -> Bool {
    let role = state.withLock { $0.isChanging ? nil : $0.role }
    if let role { return role.server.submit { _ in job() } }
    // Between two roles no loop hangs.
    job()
    return true
  }

  /// Stops: no new calls, running ones finish, everything is flushed and closed.
  ///
  /// - Parameter grace: After this, running calls are cancelled.
  public func stop(grace: Duration = .seconds(5)) async {
    let role = state.withLock { state in
      state.isStopping = true
      return state.role
    }
    role.health.setServing(false)
    await role.server.stop(grace: grace)
    await endedSignal.wait()
    await operatorEndpoint?.stop()
    await setup.tracer?.stop()
    logger.log(.info, "stopped")
  }

  // MARK: Roles

  /// Leads, if nobody does, or follows.
  private static func firstRole(_ setup: ServerSetup) async throws -> any ServerRole {
    #if PostgreSQL
    if case .postgres(let address) = setup.settings.database {
      switch try NodeStart(address, setup).role() {
      case .leads(let taken): return try await LeadingServer.start(setup, with: taken)
      case .follows: return try await FollowingServer.start(setup, address)
      }
    }
    #endif
    return try await LeadingServer.start(setup, with: nil)
  }

  /// Goes from role to role until the server is stopped.
  private func run(from first: any ServerRole) async {
    defer { endedSignal.fire() }
    var role: (any ServerRole)? = first
    while let current = role {
      let end = await current.ended()
      if case .stopped = end { return }
      state.withLock { $0.isChanging = true }
      observation.set(nil)
      role = await next(after: end)
      if let role { observation.set(role) }
      state.withLock { $0.isChanging = false }
    }
  }

  /// The next role; whatever keeps it from beginning is tried again.
  private func next(after end: RoleEnd) async -> (any ServerRole)? {
    var end = end
    let bindEnd = ContinuousClock.now.advanced(by: Self.bindPatience)
    while !state.withLock({ $0.isStopping }) {
      do {
        guard let role = try await startRole(after: end) else { return nil }
        let isStopping = state.withLock { state in
          state.role = role
          return state.isStopping
        }
        if isStopping { await role.server.stop(grace: .zero) }
        return role
      } catch let error as TransportError where error.isAddressInUse && .now < bindEnd {
        // The sockets of the role before are being closed.
        try? await Task.sleep(for: Self.bindPause)
      } catch {
        logger.log(.error, "a role of this node could not begin", ["reason": "\(error)"])
        if case .leads = end { end = .cannotLead }
        try? await Task.sleep(for: Self.rolePause)
      }
    }
    return nil
  }

  /// How long a node that has the database waits for its endpoints, before it leaves it to others.
  private static let bindPatience = Duration.seconds(5)
  private static let bindPause = Duration.milliseconds(50)
  private static let rolePause = Duration.seconds(1)

  private func startRole(after end: RoleEnd) async throws -> (any ServerRole)? {
    #if PostgreSQL
    guard case .postgres(let address) = setup.settings.database else { return nil }
    switch end {
    case .stopped: return nil
    case .leads(let taken): return try await LeadingServer.start(setup, with: taken)
    case .cannotLead:
      return try await FollowingServer.start(setup, address, canLeadAfter: .seconds(10))
    // Whoever takes a database that has lost commits makes what clients keep of them expire.
    case .anotherLeads(let newest), .databaseLost(let newest):
      return try await FollowingServer.start(setup, address, newest: newest)
    case .drained:
      return try await FollowingServer.start(
        setup,
        address,
        canLeadAfter: .seconds(10),
        isDrained: true
      )
    }
    #else
    return nil
    #endif
  }
}
