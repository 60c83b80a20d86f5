internal import Synchronization
internal import TidingsEngine
internal import TidingsFiles
internal import TidingsKeys
internal import TidingsLogging
internal import TidingsMemory
internal import TidingsModel
internal import TidingsPostgres
internal import TidingsRPC
internal import TidingsSQL
internal import TidingsTracing
internal import TidingsZeroMQ

/// What a server has in all of its roles: its keys, its endpoints, its folder.
struct ServerSetup: Sendable {
  /// Clients notice that calls are refused within a round trip.
  private static let refusalPeriod = Duration.milliseconds(100)

  let settings: ServerSettings
  let folder: DataFolder
  /// What the server proves itself with; `nil`: it is in development mode.
  let pair: KeyPair?
  /// The keys that may connect.
  let admittedKeys: AdmittedKeys
  let logger: Logger
  /// Records spans; `nil`: nobody collects them.
  let tracer: Tracer?
  /// Calls that are logged.
  let callLog: CallLog
  /// An administrator has drained the server, which is to exit.
  let drained: AsyncStream<Void>.Continuation
  /// Called on the thread that admits connections for a key that is not known, before it is refused.
  let unknownKeys = UnknownKeys()
  /// When the process started.
  let started = Timestamp.now
  /// Where it listens.
  private(set) var configuration: ServerConfiguration

  /// Reads the keys.
  ///
  /// - Parameters:
  ///   - settings: How the server runs.
  ///   - logger: Where it logs.
  ///   - drained: Gets an element when the server is to exit.
  /// - Throws: `StartError`.
  init(
    _ settings: ServerSettings,
    _ logger: Logger,
    drained: AsyncStream<Void>.Continuation
  ) throws(StartError) {
    var settings = settings
    settings.limits.memoryBytesMax = GrantedMemory.bounded(
      settings.limits.memoryBytesMax,
      logger
    )
    // A page has room in a frame, with what an answer has besides.
    let pageBytesMax = settings.limits.memory.frameBytesMax - (1 << 20)
    settings.limits.answerBytesMax = min(settings.limits.answerBytesMax, pageBytesMax)
    (self.settings, self.logger, self.drained) = (settings, logger, drained)
    tracer = settings.traces.map { traces in
      Tracer(traces, version: TidingsServer.version) { reason in
        logger.log(.warning, "spans were not sent to the collector", ["reason": reason])
      }
    }
    callLog = CallLog(
      logger,
      slowMilliseconds: settings.slowCallMilliseconds,
      tracer: tracer
    )
    var configuration = ServerConfiguration(
      endpoint: settings.rpcEndpoint,
      pushEndpoint: settings.pushEndpoint
    )
    configuration.memory = settings.limits.memory
    configuration.frameBytesMax = configuration.memory.frameBytesMax
    configuration.advertisedPushEndpoint = settings.advertisedPushEndpoint
    if settings.database.isShared { configuration.refusalPeriod = Self.refusalPeriod }
    // Before anything is bound: a second server must not take the first one's ipc endpoint away.
    let folder = try DataFolder(path: settings.dataPath)
    let admittedKeys = AdmittedKeys()
    let pair = try folder.serverKeys(settings)
    if let warning = try folder.keepOthersOut(hasKey: pair != nil) {
      logger.log(.warning, warning, ["data": settings.dataPath])
    }
    if pair == nil { _ = try folder.secondKey(settings, beside: nil) }
    if let pair {
      let hasNodes = settings.database.isShared
      configuration.security = .curveServer(pair) { [unknownKeys] key in
        if hasNodes, key == pair.publicKey { return AdmittedKey(number: LoopContext.nodeKeyNumber) }
        var holder = admittedKeys.holder(of: key)
        if holder == nil, unknownKeys.look() { holder = admittedKeys.holder(of: key) }
        return holder.map { AdmittedKey(number: $0.number, user: $0.user) }
      }
      configuration.second = try folder.secondKey(settings, beside: pair)
    }
    (self.folder, self.pair, self.admittedKeys) = (folder, pair, admittedKeys)
    self.configuration = configuration
  }

  var callerMode: CallerMode { pair == nil ? .development : .authenticated }

  /// What the database is to know of the keys of this server when it leads.
  var leaderKeys: LeaderKeys {
    LeaderKeys(own: Set([pair, configuration.second?.pair].compactMap { $0?.publicKey }))
  }

  /// How this server proves itself to another node.
  var nodeSecurity: Security {
    pair.map { .curveClient(ClientKeys($0, server: $0.publicKey)) } ?? .development
  }

  /// Later roles listen where the first one does, also if the system has chosen the ports.
  mutating func keepEndpoints(of server: RPCServer) {
    configuration.endpoint = server.endpoint
    configuration.pushEndpoint = server.pushEndpoint
  }

  /// Why the server did not start: of a store in the folder, with what to do about its disk.
  func startError(_ error: any Error) -> StartError {
    guard !settings.database.isShared, error is SQLError || error is FileError else {
      return error as? StartError ?? StartError("\(error)")
    }
    return folder.unusable(error)
  }

  /// The name of this server as a node, once its endpoints are bound.
  var name: String {
    settings.nodeName ?? settings.advertisedRpcEndpoint ?? configuration.endpoint
  }

  /// This server as a node.
  func node(_ loop: LoopContext) -> NodeIdentity {
    let endpoint = settings.advertisedRpcEndpoint ?? loop.endpoint
    var node = NodeIdentity(
      name: settings.nodeName ?? endpoint,
      rpcEndpoint: endpoint,
      pushEndpoint: settings.advertisedPushEndpoint ?? loop.pushEndpoint ?? ""
    )
    node.frameBytesMax = loop.configuration.frameBytesMax
    return node
  }
}

/// What a node does about keys that it does not know: another one may have admitted them.
final class UnknownKeys: Sendable {
  private let action = Mutex<(@Sendable () -> Void)?>(nil)

  /// Sets what is done; `nil`: nothing, since the keys that are known are all.
  func set(_ action: (@Sendable () -> Void)?) { self.action.withLock { $0 = action } }

  /// Does it.
  ///
  /// - Returns: Whether there may be other keys now.
  func look() -> Bool {
    guard let action = action.withLock({ $0 }) else { return false }
    action()
    return true
  }
}
