public import TidingsProto
public import TidingsRPC
internal import TidingsZeroMQ

/// A client of a Tidings server: typed stubs for all services, and reliable notifications.
///
/// Shared by any number of tasks. The connection is made at the first chance and made again whenever
/// it is lost, to the next endpoint if there are several.
public final class Client: Sendable {
  /// What the client was made with.
  public let configuration: ClientConfiguration
  /// Carries the calls; for stubs that are not listed here.
  public let transport: any ClientTransport
  /// How large pages may be on the way to the server.
  package let pageLimits = PageLimits()

  /// Reports that the connection moved to another endpoint.
  let moves: ConnectionMoves

  private let connection: ClientConnection

  /// Starts connecting.
  ///
  /// A server that is not there is reported by the calls.
  ///
  /// - Throws: `invalidArgument` for malformed endpoints; `resourceExhausted` when the process has too few file
  ///   descriptors left.
  public init(_ configuration: ClientConfiguration) async throws(RPCError) {
    self.configuration = configuration
    let moves = ConnectionMoves()
    self.moves = moves
    var metadata = Metadata()
    if !configuration.user.isEmpty { metadata[Metadata.userKey] = configuration.user }
    if !configuration.device.isEmpty { metadata[Metadata.deviceKey] = configuration.device }
    var settings = ConnectionConfiguration(endpoints: configuration.endpoints, metadata: metadata)
    settings.security = configuration.security
    settings.connectTimeout = configuration.connectTimeout
    settings.timeout = configuration.timeout
    settings.retry.attemptsMax = configuration.retryCountMax + 1
    settings.observer = configuration.observer
    settings.traceContext = configuration.traceContext
    settings.onMove = { moves.moved() }
    do {
      connection = try await ClientConnection(settings)
    } catch {
      let isFull = (error as? TransportError)?.isOutOfDescriptors ?? false
      throw RPCError(isFull ? .resourceExhausted : .invalidArgument, "\(error)", cause: error)
    }
    transport = connection
  }

  /// Calls a closure whenever the connection has moved to another endpoint.
  ///
  /// - Parameter body: Runs on the connection's thread, and must not wait.
  package func whenMoved(_ body: @escaping @Sendable () -> Void) { moves.observe(body) }

  /// Waits until there is a connection, so that the time of the next call is its own.
  ///
  /// - Parameter patience: How long; `nil`: as long as calls wait for one.
  /// - Throws: `unavailable` with the reason why there is none; `unauthenticated` if the key is not admitted.
  public func connected(within patience: Duration? = nil) async throws(RPCError) {
    try await connection.connected(within: patience)
  }

  /// Fails what is waiting with CANCELLED, and closes the connection.
  public func close() async { await connection.close() }

  /// Records: save, fetch, delete, query, follow.
  public var records: TidingsV1.RecordService.Client { .init(transport) }
  /// Zones: create, fetch, delete.
  public var zones: TidingsV1.ZoneService.Client { .init(transport) }
  /// Subscriptions: save, fetch, delete.
  public var subscriptions: TidingsV1.SubscriptionService.Client { .init(transport) }
  /// Files that belong to records.
  ///
  /// `assets(in:)` is what most want.
  public var assetCalls: TidingsV1.AssetService.Client { .init(transport) }
  /// Schemas: fetch, apply, deploy.
  public var schemas: TidingsV1.SchemaService.Client { .init(transport) }
  /// The log of notifications.
  ///
  /// `notificationStream` is what most want.
  public var notifications: TidingsV1.NotificationService.Client { .init(transport) }
  /// The health of the server.
  public var health: TidingsRpcV1.HealthService.Client { .init(transport) }
  /// The version, endpoints and limits of the server.
  public var server: TidingsRpcV1.ServerService.Client { .init(transport) }
  /// The services and methods of the server.
  public var reflection: TidingsRpcV1.ReflectionService.Client { .init(transport) }

  /// The user's notifications: first those in the log after a token, then those to come.
  ///
  /// Each is yielded once to one iteration, in the order of its channel. A lost push, a lost
  /// connection and a restarted server are made up for from the log.
  ///
  /// - Parameters:
  ///   - token: Where an earlier stream ended (`NotificationStream.changeToken`), or empty to begin
  ///     with the oldest notification that is kept.
  ///   - onConnection: Called when the server cannot be reached any more, and when it can again;
  ///     called by the task that iterates, and must not wait.
  /// - Returns: The stream; it begins when it is iterated.
  public func notificationStream(
    after token: [UInt8] = [],
    onConnection: (@Sendable (NotificationStream.Connection) -> Void)? = nil
  ) -> NotificationStream {
    NotificationStream(self, after: token, onConnection: onConnection)
  }
}
