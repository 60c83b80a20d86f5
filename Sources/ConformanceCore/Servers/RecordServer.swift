internal import Glibc
internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

/// A real `rpcd` on temporary data, in development mode or with keys.
final class RecordServer {
  let rpcEndpoint: String
  let pushEndpoint: String
  /// The server's key and the administrator's pair; `nil`: development mode.
  let keys: ClientKeys?

  private let folder: TemporaryFolder
  private let path: String
  private let arguments: [String]
  private var process: ChildProcess

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - path: The program.
  ///   - isSecure: Callers prove who they are.
  ///   - advertisedPush: The push endpoint that clients get.
  /// - Throws: When it does not start.
  init(
    _ path: String,
    isSecure: Bool = false,
    advertisedPush: String? = nil
  ) async throws(ConformanceError) {
    let folder = try TemporaryFolder()
    let data = folder.path + "/data"
    var keys: ClientKeys?
    if isSecure {
      let initialize = try ChildProcess([path, "init", "--data", data, "--admin", "root"])
      _ = await onBlockingThread { initialize.ending(withinMilliseconds: 60_000) }
      do throws(KeyFileError) {
        keys = ClientKeys(
          try KeyFile.pair(path: data + "/root.key"),
          server: try KeyFile(path: data + "/server.pub").publicKey
        )
      } catch {
        throw ConformanceError("'\(path) init' made no keys: \(error)")
      }
    }
    self.folder = folder
    self.path = path
    self.keys = keys
    // One place for each user to wait: whether a wait has ended is seen from outside.
    var arguments = [
      "--data", data, "--log-level", "error", "--limit", "waiting-calls-per-user-max=1",
    ]
    if let advertisedPush { arguments += ["--advertise-push", advertisedPush] }
    self.arguments = arguments
    var started: (ChildProcess, ReadyLine)?
    // Ports that nobody else is given while the server is down; another program may have one.
    for _ in 0..<20 where started == nil {
      started = await Self.start(
        path,
        arguments,
        rpc: RelaySockets.nextEndpoint(),
        push: RelaySockets.nextEndpoint()
      )
    }
    guard let (process, ready) = started else {
      throw ConformanceError("'\(path)' does not start: select rpcd with --rpcd PATH")
    }
    self.process = process
    rpcEndpoint = ready.rpc
    pushEndpoint = ready.push
  }

  /// Ends the server at once, as a power failure would, and starts the next on the same data and ports.
  func crashAndRestart() async throws {
    let process = process
    await onBlockingThread { _ = process.end(gracefully: false) }
    for _ in 0..<100 {
      let next = await Self.start(path, arguments, rpc: rpcEndpoint, push: pushEndpoint)
      guard let next else { continue }
      self.process = next.0
      return
    }
    throw ConformanceError("'\(path)' does not start again")
  }

  /// Ends the server.
  func stop() async {
    let process = process
    await onBlockingThread { _ = process.end(gracefully: true) }
  }

  /// A client of the runner's own.
  func client(as user: String, device: String = "") async throws -> Client {
    var configuration = ClientConfiguration(endpoint: rpcEndpoint)
    configuration.keys = keys
    configuration.user = keys == nil ? user : ""
    configuration.device = device
    configuration.timeout = .seconds(60)
    configuration.connectTimeout = .seconds(60)
    return try await Client(configuration)
  }

  /// What a server prints when it is ready.
  private struct ReadyLine {
    let rpc: String
    let push: String

    init?(_ line: String) {
      let words = line.split(separator: " ")
      guard words.count == 4, words[2].hasPrefix("rpc="), words[3].hasPrefix("push=") else {
        return nil
      }
      rpc = String(words[2].dropFirst("rpc=".count))
      push = String(words[3].dropFirst("push=".count))
    }
  }

  private static func start(
    _ path: String,
    _ arguments: [String],
    rpc: String,
    push: String
  ) async -> (ChildProcess, ReadyLine)? {
    let words = [path, "--rpc", rpc, "--push", push] + arguments
    guard let process = try? ChildProcess(words) else { return nil }
    let line = await onBlockingThread { process.firstLine(withinMilliseconds: 60_000) }
    return ReadyLine(line ?? "").map { (process, $0) }
  }
}
