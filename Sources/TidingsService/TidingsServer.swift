internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSQL
internal import TidingsSQLite
internal import TidingsZeroMQ

/// A running server: the sockets, the loop, the store.
public final class TidingsServer: Sendable {
  /// The version of this program.
  public static let version = "0.1.0"

  /// Where calls go, as bound.
  public let rpcEndpoint: String
  /// Where pushes come from, as bound.
  public let pushEndpoint: String

  private let server: RPCServer
  private let health: HealthState
  private let logger: Logger

  /// Starts a server.
  ///
  /// - Returns: The server, once it answers.
  /// - Throws: `StartError` with what is wrong and what to do.
  public static func start(_ settings: ServerSettings) async throws -> TidingsServer {
    let logger = Logger(level: settings.logLevel)
    let health = HealthState()
    var configuration = ServerConfiguration(
      endpoint: settings.rpcEndpoint, pushEndpoint: settings.pushEndpoint)
    configuration.security = .development
    do {
      let server = try await RPCServer.start(configuration) { loop in
        let folder = try DataFolder(path: settings.dataPath)
        let connection = try folder.openDatabase(isThorough: settings.checksThoroughly)
        let core = try Core(
          connection, databasePath: folder.databasePath, limits: settings.limits, logger: logger)
        loop.turn = CoreOwner(core, folder)
        register(core, health, on: loop)
        logger.log(
          .info, "store opened",
          ["data": settings.dataPath, "channels": "\(core.engine.channelCount)",
            "incarnation": core.engine.incarnation])
      }
      return TidingsServer(server, health, logger)
    } catch let error as SQLError where error.kind == .damaged {
      throw StartError(
        "the database in '\(settings.dataPath)' is damaged (\(error)). Nothing was changed. Restore "
          + "a backup, or save what can be read with: sqlite3 tidings.sqlite .recover")
    } catch let error as StartError {
      throw error
    } catch {
      throw StartError("\(error)")
    }
  }

  private init(_ server: RPCServer, _ health: HealthState, _ logger: Logger) {
    self.server = server
    self.health = health
    self.logger = logger
    rpcEndpoint = server.endpoint
    pushEndpoint = server.pushEndpoint ?? ""
  }

  /// Stops: no new calls, running ones finish, everything is flushed and closed.
  ///
  /// - Parameter grace: After this, running calls are cancelled.
  public func stop(grace: Duration = .seconds(5)) async {
    health.setServing(false)
    await server.stop(grace: grace)
    logger.log(.info, "stopped")
  }

  /// What the contract declares and no handler answers is UNIMPLEMENTED, by the generated defaults.
  private static func register(_ core: Core, _ health: HealthState, on loop: LoopContext) {
    loop.register(RecordMethods())
    loop.register(ZoneMethods())
    loop.register(SubscriptionMethods())
    loop.register(NotificationMethods())
    loop.register(AssetMethods())
    loop.register(AccountMethods())
    loop.register(AdminMethods())
    loop.register(ServerMethods())
    core.registerRecords(on: loop)
    core.registerZones(on: loop)
    core.registerSubscriptions(on: loop)
    core.registerNotifications(on: loop)
    core.registerServerInfo(on: loop)
    loop.registerBuiltIn(health)
  }
}

/// Keeps the folder's lock as long as the core lives.
private final class CoreOwner: LoopTurn {
  private let core: Core
  private let folder: DataFolder

  init(_ core: Core, _ folder: consuming DataFolder) {
    self.core = core
    self.folder = folder
  }

  func turnEnded(_ loop: LoopContext) { core.turnEnded(loop) }
  var nextTimer: ContinuousClock.Instant? { core.nextTimer }
  func timerFired(_ loop: LoopContext) { core.timerFired(loop) }
  func stopping(_ loop: LoopContext) { core.stopping(loop) }
}

private struct RecordMethods: TidingsV1.RecordService.Server {}
private struct ZoneMethods: TidingsV1.ZoneService.Server {}
private struct SubscriptionMethods: TidingsV1.SubscriptionService.Server {}
private struct NotificationMethods: TidingsV1.NotificationService.Server {}
private struct AssetMethods: TidingsV1.AssetService.Server {}
private struct AccountMethods: TidingsV1.AccountService.Server {}
private struct AdminMethods: TidingsV1.AdminService.Server {}
private struct ServerMethods: TidingsRpcV1.ServerService.Server {}
