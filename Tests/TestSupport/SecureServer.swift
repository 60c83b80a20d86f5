public import TidingsClient
public import TidingsKeys
public import TidingsProto
internal import TidingsRPC

/// An `rpcd` whose callers prove who they are.
public final class SecureServer: Sendable {
  public let server: TestServer
  public let serverKey: PublicKey
  /// The pair of the user `root`, who may administer.
  public let administrator: KeyPair

  /// Initializes a data folder and starts a server on it.
  ///
  /// - Parameters:
  ///   - arguments: Further ones.
  ///   - descriptorsMax: How many it may have; `nil`: as many as the system lets it.
  ///   - environment: Variables for it.
  /// - Returns: The server, once it is ready.
  /// - Throws: `WaitingFailure` with what it says, when it does not start.
  public static func start(
    arguments: [String] = [],
    descriptorsMax: Int? = nil,
    environment: [String: String] = [:]
  ) async throws -> SecureServer {
    let folder = try TemporaryFolder()
    let administrator = try await initialize(folder, environment: environment)
    let server = try await TestServer.start(
      in: folder,
      arguments: arguments,
      descriptorsMax: descriptorsMax,
      environment: environment
    )
    return try SecureServer(server, administrator)
  }

  /// Runs `rpcd init` for the user `root`; returns the pair from the key file.
  public static func initialize(
    _ folder: TemporaryFolder,
    environment: [String: String] = [:]
  ) async throws -> KeyPair {
    let data = folder.file("data")
    let process = try ServerProcess(
      arguments: ["init", "--data", data, "--admin", "root"],
      environment: environment
    )
    let exit = try await process.waitForExit()
    guard exit == .code(0) else {
      throw WaitingFailure(description: "rpcd init: \(process.seen.value.errors)")
    }
    return try KeyFile.pair(path: data + "/root.key")
  }

  private init(_ server: TestServer, _ administrator: KeyPair) throws {
    self.server = server
    self.administrator = administrator
    serverKey = try KeyFile(path: server.folder.file("data/server.pub")).publicKey
  }

  /// What a client connects with.
  public func keys(_ pair: KeyPair) -> ClientKeys { ClientKeys(pair, server: serverKey) }

  /// A client with a key, patient with a machine that has other work.
  ///
  /// - Parameters:
  ///   - pair: Its own; `nil`: the administrator's.
  ///   - serverKey: The key that it takes for the server's, if not the right one.
  ///   - device: The device that calls.
  ///   - connectTimeout: How long it waits for a connection.
  /// - Returns: The client.
  /// - Throws: `RPCError`.
  public func client(
    _ pair: KeyPair? = nil,
    serverKey: PublicKey? = nil,
    device: String = "",
    connectTimeout: Duration = .seconds(60)
  ) async throws -> Client {
    var configuration = ClientConfiguration(endpoint: server.rpcEndpoint)
    configuration.keys = ClientKeys(pair ?? administrator, server: serverKey ?? self.serverKey)
    configuration.device = device
    configuration.timeout = .seconds(600)
    configuration.connectTimeout = connectTimeout
    return try await Client(configuration)
  }

  /// What an administrator does.
  public func administration() async throws -> TidingsV1.AdminService.Client {
    TidingsV1.AdminService.Client(try await client().transport)
  }

  /// Creates a user, who may teach schemas by default.
  ///
  /// - Returns: The pair whose public part is admitted.
  public func createUser(_ name: String, roles: [String] = ["developer"]) async throws -> KeyPair {
    let pair = KeyPair()
    _ = try await administration().createUser(
      .init(name: name, publicKey: .init(key: "\(pair.publicKey)"), roles: roles)
    )
    return pair
  }
}
