internal import Foundation
package import RPCTestSupport
internal import Synchronization
public import TidingsClient

/// An `rpcd` that is ready, on a data folder that outlives it.
public final class TestServer: Sendable {
  public let folder: TemporaryFolder
  public let process: ServerProcess
  public let rpcEndpoint: String
  /// The port of this machine in `rpcEndpoint`.
  public var rpcPort: UInt16 { rpcEndpoint.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }
  public let pushEndpoint: String
  private let arguments: [String]
  private let environment: [String: String]
  /// Another node, which leads when the process has been started (`ServerDatabase.hasNodes`).
  private let companion: (process: ServerProcess, folder: TemporaryFolder)?
  /// With another node, every second crash is one of that alone.
  private static let crashCount = Atomic(0)
  private let ports: [ReservedPort]

  /// Starts a server on free ports, with a data folder of its own by default.
  package static func start(
    in folder: TemporaryFolder? = nil,
    rpc: String = "tcp://127.0.0.1:0",
    push: String = "tcp://127.0.0.1:0",
    keeping ports: [ReservedPort] = [],
    arguments: [String] = [],
    descriptorsMax: Int? = nil,
    controlGroup: MemoryControlGroup? = nil,
    environment: [String: String] = [:]
  ) async throws -> TestServer {
    let folder = try folder ?? TemporaryFolder()
    let companion = try await startCompanion(in: folder, arguments, environment)
    let process = try ServerProcess(
      arguments: [
        "--rpc", rpc, "--push", push, "--data", folder.file("data"), "--log-level", "warning",
      ] + arguments,
      descriptorsMax: descriptorsMax,
      controlGroup: controlGroup,
      environment: environment
    )
    let line = try await process.waitForReadyLine()
    return try TestServer(
      folder,
      process,
      companion,
      arguments,
      environment,
      ports,
      readyLine: line
    )
  }

  /// Starts another node beside the one under test; `nil`: tests are not run on several nodes.
  private static func startCompanion(
    in folder: TemporaryFolder,
    _ arguments: [String],
    _ environment: [String: String]
  ) async throws -> (ServerProcess, TemporaryFolder)? {
    guard ServerDatabase.hasNodes, environment["RPCD_DATABASE"] == nil else { return nil }
    let data = folder.file("data")
    let nodeFolder = try TemporaryFolder()
    let nodeData = nodeFolder.file("data")
    try FileManager.default.createDirectory(
      atPath: nodeData,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    for file in ["server.key", "server.pub"]
    where FileManager.default.fileExists(atPath: "\(data)/\(file)") {
      try FileManager.default.copyItem(atPath: "\(data)/\(file)", toPath: "\(nodeData)/\(file)")
    }
    let endpoint = "tcp://127.0.0.1:0"
    let process = try ServerProcess(
      arguments: [
        "--rpc", endpoint, "--push", endpoint, "--data", nodeData, "--log-level", "warning",
      ] + arguments,
      environment: try ServerDatabase.environment(ofDataFolder: data).merging(environment) { $1 }
    )
    _ = try await process.waitForReadyLine()
    return (process, nodeFolder)
  }

  /// Starts a server on ports that the system gives to nobody else while it is down.
  public static func startLasting(
    in folder: TemporaryFolder? = nil,
    arguments: [String] = [],
    environment: [String: String] = [:]
  ) async throws -> TestServer {
    let (rpc, push) = (ReservedPort(), ReservedPort())
    return try await start(
      in: folder,
      rpc: rpc.endpoint,
      push: push.endpoint,
      keeping: [rpc, push],
      arguments: arguments,
      environment: environment
    )
  }

  private init(
    _ folder: TemporaryFolder,
    _ process: ServerProcess,
    _ companion: (ServerProcess, TemporaryFolder)?,
    _ arguments: [String],
    _ environment: [String: String],
    _ ports: [ReservedPort],
    readyLine: String
  ) throws {
    let words = readyLine.split(separator: " ")
    guard words.count == 4, words[0] == "rpcd", words[1] == "ready", words[2].hasPrefix("rpc="),
      words[3].hasPrefix("push=")
    else { throw WaitingFailure(description: "not a ready line: \(readyLine)") }
    self.folder = folder
    self.process = process
    self.companion = companion
    self.arguments = arguments
    self.environment = environment
    self.ports = ports
    rpcEndpoint = String(words[2].dropFirst("rpc=".count))
    pushEndpoint = String(words[3].dropFirst("push=".count))
  }

  /// Ends the process at once, as a power failure would.
  public func crash() async throws {
    companion?.process.send(9)
    try await companion?.process.waitForExit()
    if companion != nil, Self.crashCount.add(1, ordering: .relaxed).oldValue % 2 == 1 { return }
    process.send(9)
    try await process.waitForExit()
  }

  /// Asks the process to end.
  @discardableResult
  public func stop() async throws -> ServerProcess.Exit {
    process.send(15)
    let exit = try await process.waitForExit()
    companion?.process.send(15)
    try await companion?.process.waitForExit()
    return exit
  }

  /// Starts the next server on the same folder and the same ports.
  ///
  /// - Parameter environment: Variables in place of those of this one; `nil`: the same.
  /// - Returns: The server, once it is ready.
  /// - Throws: `WaitingFailure` with what it says, when it does not start.
  public func restarted(environment: [String: String]? = nil) async throws -> TestServer {
    if companion != nil, process.seen.value.exit == nil {
      // It leads now.
      let next = try await Self.startCompanion(in: folder, arguments, self.environment)
      return try TestServer(
        folder,
        process,
        next,
        arguments,
        self.environment,
        ports,
        readyLine: try await process.waitForReadyLine()
      )
    }
    return try await .start(
      in: folder,
      rpc: rpcEndpoint,
      push: pushEndpoint,
      keeping: ports,
      arguments: arguments,
      environment: environment ?? self.environment
    )
  }

  /// A client of this server, patient with a machine that has other work.
  ///
  /// - Parameters:
  ///   - user: Who calls.
  ///   - device: Where.
  ///   - others: Other nodes, to which it may move on.
  ///   - reconcileInterval: How often a stream looks at the log; by default so seldom that only pushes let it look.
  ///   - retries: It repeats what is safe to repeat.
  /// - Returns: The client.
  /// - Throws: `RPCError`.
  public func client(
    as user: String,
    device: String = "",
    or others: [TestServer] = [],
    reconcileInterval: Duration = .seconds(3_600),
    retries: Bool = true
  ) async throws -> Client {
    var configuration = ClientConfiguration(endpoint: rpcEndpoint)
    configuration.endpoints += others.map(\.rpcEndpoint)
    configuration.user = user
    configuration.device = device
    configuration.timeout = .seconds(600)
    configuration.connectTimeout = .seconds(60)
    configuration.reconcileInterval = reconcileInterval
    if !retries {
      configuration.retryCountMax = 0
      configuration.connectTimeout = .seconds(2)
    }
    return try await Client(configuration)
  }
}
