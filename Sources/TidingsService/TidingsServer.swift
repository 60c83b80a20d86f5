internal import TidingsEngine
public import TidingsKeys
internal import TidingsModel
internal import TidingsPostgres
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSQL
internal import TidingsSQLite
internal import TidingsThreads
internal import TidingsZeroMQ

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A running server: the sockets, the loop, the store.
public final class TidingsServer: Sendable {
  /// The version of this program.
  public static let version = Version.current

  /// Where calls go, as bound.
  public let rpcEndpoint: String
  /// Where pushes come from, as bound.
  public let pushEndpoint: String
  /// What clients must know to connect; `nil`: it is in development mode.
  public let publicKey: PublicKey?

  private let server: RPCServer
  private let health: HealthState
  private let logger: Logger
  private let drainedStream: AsyncStream<Void>

  /// Starts a server.
  ///
  /// - Returns: The server, once it answers.
  /// - Throws: `StartError` with what is wrong and what to do.
  public static func start(_ settings: ServerSettings) async throws -> TidingsServer {
    let logger = Logger(level: settings.logLevel)
    let health = HealthState()
    var configuration = ServerConfiguration(
      endpoint: settings.rpcEndpoint,
      pushEndpoint: settings.pushEndpoint
    )
    configuration.advertisedPushEndpoint = settings.advertisedPushEndpoint
    // Before anything is bound: a second server must not take the first one's ipc endpoint away.
    let folder = try DataFolder(path: settings.dataPath)
    let admittedKeys = AdmittedKeys()
    let pair = try folder.serverKeys(settings)
    if let warning = try folder.keepOthersOut(hasKey: pair != nil) {
      logger.log(.warning, warning, ["data": settings.dataPath])
    }
    let drained = AsyncStream<Void>.makeStream()
    let callerMode = pair == nil ? CallerMode.development : .authenticated
    if pair == nil { _ = try folder.secondKey(settings, beside: nil) }
    if let pair {
      configuration.security = .curveServer(pair) { admittedKeys.number(of: $0) }
      configuration.second = try folder.secondKey(settings, beside: pair)
    }
    do {
      let configuration = configuration
      let server = try await RPCServer.start(configuration) { loop in
        let core = try Core(
          openDatabase(settings, in: folder),
          folder,
          limits: settings.limits,
          reloadsAlways: settings.reloadsAlways,
          sealsPushes: settings.sealsPushes,
          callerMode: callerMode,
          admittedKeys: admittedKeys,
          auditSyslogPath: settings.auditSyslogPath,
          logger: logger,
          remote: loop.remote
        )
        // A lost key must not open a server that its users consider closed.
        if pair == nil, !settings.isDevelopment, try core.engine.isAdministered {
          throw folder.withoutServerKey
        }
        if let pair, admittedKeys.number(of: pair.publicKey) != nil {
          logger.log(
            .warning,
            "the server's key is a user's too, who can pass for the server: make the user another key "
              + "(rpcctl keys rotate)"
          )
        }
        if let second = configuration.second {
          logger.log(
            .info,
            "the server's key is being replaced",
            ["next": second.pair.publicKey.description, "rpc": loop.secondEndpoint ?? ""]
          )
        }
        try core.beginRun()
        loop.delegate = core
        endOnFailedSync(core.remote, logger)
        core.quotasChanged(on: loop)
        register(core, health, on: loop)
        core.onDrained = { drained.continuation.yield() }
        logger.log(
          .info,
          "store opened",
          [
            "data": settings.dataPath, "database": settings.database.description,
            "channels": "\(core.engine.channelCount)",
            "incarnation": core.engine.incarnation,
          ]
        )
      }
      return TidingsServer(server, health, logger, pair?.publicKey, drained.stream)
    } catch let error as SQLError where error.kind == .damaged {
      throw folder.damaged(error)
    } catch let error as StartError {
      throw error
    } catch {
      throw StartError("\(error)")
    }
  }

  private static func openDatabase(
    _ settings: ServerSettings,
    in folder: DataFolder
  ) throws -> any OpenDatabase {
    switch settings.database {
    case .embedded:
      guard settings.assetsPath == nil else { throw StartError.assetsBesideEmbedded }
      return try EmbeddedDatabase(in: folder, isThorough: settings.checksThoroughly)
    case .postgres(let address):
      return try address.open(assetsPath: settings.assetsPath)
    }
  }

  private init(
    _ server: RPCServer,
    _ health: HealthState,
    _ logger: Logger,
    _ publicKey: PublicKey?,
    _ drainedStream: AsyncStream<Void>
  ) {
    self.drainedStream = drainedStream
    self.server = server
    self.publicKey = publicKey
    self.health = health
    self.logger = logger
    rpcEndpoint = server.endpoint
    pushEndpoint = server.pushEndpoint ?? ""
  }

  /// Returns when the server has ended, whether it was stopped or its sockets failed.
  public func ended() async { await server.waitUntilEnded() }

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
    server.submit { _ in job() }
  }

  /// Stops: no new calls, running ones finish, everything is flushed and closed.
  ///
  /// - Parameter grace: After this, running calls are cancelled.
  public func stop(grace: Duration = .seconds(5)) async {
    health.setServing(false)
    await server.stop(grace: grace)
    logger.log(.info, "stopped")
  }

  /// Ends the loop, and with it the process, when a sync of the store fails: calls that were being
  /// committed are answered that their outcome is not known.
  private static func endOnFailedSync(_ remote: CoreRemote, _ logger: Logger) {
    SyncFailure.observe { failure in
      logger.log(
        .error,
        "a sync failed: nothing more is written and the server ends, so that the next start writes the "
          + "whole log again",
        ["reason": "\(failure)"]
      )
      remote.submit { core, loop in core.calls.syncFailed(failure, on: loop) }
      // The loop may be the one that waits for the disk.
      startThread {
        Semaphore().wait(for: endingPatience)
        logger.log(.error, "the server did not end by itself after a failed sync")
        _exit(1)
      }
    }
  }

  /// How long answers may take to leave after a sync failed.
  private static let endingPatience = Duration.seconds(5)

  /// What the contract declares and no handler answers is UNIMPLEMENTED, by the generated defaults.
  private static func register(_ core: Core, _ health: HealthState, on loop: LoopContext) {
    loop.servicesWhileDraining = [
      TidingsV1.AdminService.descriptor.name, TidingsRpcV1.ServerService.descriptor.name,
      TidingsRpcV1.HealthService.descriptor.name, TidingsRpcV1.ReflectionService.descriptor.name,
    ]
    core.health = health
    loop.register(RecordMethods())
    loop.register(ZoneMethods())
    loop.register(SubscriptionMethods())
    loop.register(NotificationMethods())
    loop.register(
      AssetMethods(core.assets, store: core.remote, limits: core.engine.limits)
    )
    loop.register(SchemaMethods())
    loop.register(ShareMethods())
    loop.register(AccountMethods())
    loop.register(AdminMethods(core, core.remote))
    loop.whenStopping { core.walks.stop() }
    loop.register(ServerMethods())
    core.registerRecords(on: loop)
    core.registerQueries(on: loop)
    core.registerZones(on: loop)
    core.registerSubscriptions(on: loop)
    core.registerExplanations(on: loop)
    core.registerNotifications(on: loop)
    core.registerWork(on: loop)
    core.registerSchema(on: loop)
    core.registerServerInfo(on: loop)
    core.registerFeeds(on: loop)
    core.registerShares(on: loop)
    core.registerAccounts(on: loop)
    core.registerDirectory(on: loop)
    core.registerAdministration(on: loop)
    loop.registerBuiltIn(health)
  }
}

extension StartError {
  /// A backup of an embedded store takes the assets from the data folder.
  fileprivate static let assetsBesideEmbedded = StartError(
    "--assets is for a PostgreSQL database (--database-file FILE): the embedded database keeps assets in the data "
      + "folder"
  )
}

private struct RecordMethods: TidingsV1.RecordService.Server {}
private struct ZoneMethods: TidingsV1.ZoneService.Server {}
private struct SubscriptionMethods: TidingsV1.SubscriptionService.Server {}
private struct NotificationMethods: TidingsV1.NotificationService.Server {}
private struct SchemaMethods: TidingsV1.SchemaService.Server {}
private struct ShareMethods: TidingsV1.ShareService.Server {}
private struct AccountMethods: TidingsV1.AccountService.Server {}
private struct ServerMethods: TidingsRpcV1.ServerService.Server {}
