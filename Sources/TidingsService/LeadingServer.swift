internal import Glibc
internal import TidingsEngine
internal import TidingsKeys
internal import TidingsLogging
internal import TidingsModel
internal import TidingsPostgres
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSQL
internal import TidingsSQLite
internal import TidingsThreads
internal import TidingsZeroMQ

/// A server that has the store, and answers all calls: the only one of an embedded database, or the node that leads.
struct LeadingServer: ServerRole {
  let server: RPCServer
  let health: HealthState
  private let end: RoleEndBox

  /// Starts it.
  ///
  /// - Parameters:
  ///   - setup: How.
  ///   - taken: The database of several nodes, which this one has taken; `nil`: it is opened for this process alone.
  /// - Returns: The server, once it answers.
  /// - Throws: `StartError`, `SQLError`, `TransportError` and others.
  static func start(_ setup: ServerSetup, with taken: TakenDatabase?) async throws -> LeadingServer
  {
    let (settings, folder, logger) = (setup.settings, setup.folder, setup.logger)
    let (health, end) = (HealthState(), RoleEndBox())
    setup.unknownKeys.set(nil)
    let server = try await RPCServer.start(setup.configuration) { loop in
      let core = try Core(
        taken?.take() ?? openDatabase(settings, in: folder),
        folder,
        limits: settings.limits,
        reloadsAlways: settings.reloadsAlways,
        sealsPushes: settings.sealsPushes,
        callerMode: setup.callerMode,
        admittedKeys: setup.admittedKeys,
        auditSyslogPath: settings.auditSyslogPath,
        logger: logger,
        callLog: setup.callLog,
        remote: loop.remote
      )
      // A lost key must not open a server that its users consider closed.
      if setup.pair == nil, !settings.isDevelopment, try core.engine.isAdministered {
        throw folder.withoutServerKey
      }
      if let pair = setup.pair, setup.admittedKeys.number(of: pair.publicKey) != nil {
        logger.log(
          .warning,
          "the server's key is a user's too, who can pass for the server: make the user another key "
            + "(rpcctl keys rotate)"
        )
      }
      if let second = setup.configuration.second {
        logger.log(
          .info,
          "the server's key is being replaced",
          ["next": second.pair.publicKey.description, "rpc": loop.secondEndpoint ?? ""]
        )
      }
      try core.beginRun()
      loop.delegate = core
      setup.callLog.follow(loop)
      endOnFailedSync(core.remote, logger)
      core.quotasChanged(on: loop)
      register(core, health, startedAt: setup.started, on: loop)
      core.onDrained = { setup.drained.yield() }
      core.onRoleEnd = { end.set($0) }
      if let term = core.store.term {
        try core.lead(
          as: setup.node(loop),
          term: term,
          keys: setup.leaderKeys,
          admittedKeys: setup.admittedKeys,
          on: loop
        )
      }
      logger.log(
        .info,
        "store opened",
        [
          "data": settings.dataPath, "database": settings.database.description,
          "channels": "\(core.engine.channelCount)",
          "incarnation": core.engine.incarnation,
        ]
      )
      try warnOfStored(core.engine, logger)
    }
    return LeadingServer(server: server, health: health, end: end)
  }

  /// All that is stored is needed, so that no change is missed and nobody is locked out: there is just no more of it.
  private static func warnOfStored(_ engine: Engine, _ logger: Logger) throws {
    for stored in try engine.storedMemory() where stored.bytes > stored.bytesMax {
      logger.log(
        .warning,
        "the stored \(stored.what) take more memory than they may, new ones are refused: raise memory-bytes-max, or "
          + "delete some",
        ["bytes": "\(stored.bytes)", "bytesMax": "\(stored.bytesMax)"]
      )
    }
  }

  func ended() async -> RoleEnd {
    await server.waitUntilEnded()
    return end.value
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

  private static func register(
    _ core: Core,
    _ health: HealthState,
    startedAt started: Timestamp,
    on loop: LoopContext
  ) {
    loop.servicesWhileDraining = [
      TidingsClusterV1.ClusterService.descriptor.name,
      TidingsV1.AdminService.descriptor.name, TidingsRpcV1.ServerService.descriptor.name,
      TidingsRpcV1.HealthService.descriptor.name, TidingsRpcV1.ReflectionService.descriptor.name,
    ]
    core.health = health
    core.registerServices(on: loop)
    core.registerServerInfo(startedAt: started, on: loop)
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
