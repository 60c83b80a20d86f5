#if PostgreSQL
internal import Foundation
internal import Synchronization
public import TidingsPostgres

/// A PostgreSQL server of these tests, made with the first test that needs one (`tools/postgres-cluster`), which ends
/// with the process, however that ends.
///
/// `TIDINGS_TEST_DATABASE=postgresql://…` names another server, whose user may create databases.
public final class PostgresCluster: Sendable {
  /// Why there is no server.
  public struct Unavailable: Error, CustomStringConvertible {
    public let description: String
  }

  /// The address of the database `postgres`.
  public let uri: String
  /// The folder of a server that was made for the tests.
  public let folder: String?
  private let process: Process?
  private let databaseCount = Atomic(0)

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
  private static let made = Mutex<Result<PostgresCluster, any Error>?>(nil)

  /// Whether there is one, or its programs are installed.
  public static let isAvailable: Bool = {
    guard ProcessInfo.processInfo.environment["TIDINGS_TEST_DATABASE"] == nil else { return true }
    let check = tool(["--check"])
    check.standardOutput = FileHandle.nullDevice
    check.standardError = FileHandle.nullDevice
    guard (try? check.run()) != nil else { return false }
    check.waitUntilExit()
    return check.terminationStatus == 0
  }()

  /// The server that tests share.
  public static func shared() throws -> PostgresCluster {
    try made.withLock { made in
      if made == nil { made = Result { try PostgresCluster() } }
      guard let made else { throw Unavailable(description: "not made") }
      return try made.get()
    }
  }

  /// A server of a test's own, which it may break.
  public init() throws {
    if let uri = ProcessInfo.processInfo.environment["TIDINGS_TEST_DATABASE"] {
      (self.uri, folder, process) = (uri, nil, nil)
      return
    }
    let process = Self.tool([])
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    // Closed by the system when this process ends, on which the server ends too.
    Self.inputs.withLock { $0.append(input) }
    let lines = Self.lines(2, from: output.fileHandleForReading)
    guard lines.count == 2 else {
      throw Unavailable(description: "tools/postgres-cluster has started no server")
    }
    (uri, folder, self.process) = (lines[0], lines[1], process)
  }

  private static let inputs = Mutex<[Pipe]>([])

  private static func tool(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: root + "/tools/postgres-cluster")
    process.arguments = arguments
    return process
  }

  private static func lines(_ count: Int, from file: FileHandle) -> [String] {
    var bytes = Data()
    while bytes.count(where: { $0 == 10 }) < count {
      let more = file.availableData
      if more.isEmpty { break }
      bytes += more
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The address of a new, empty database.
  ///
  /// - Parameter options: For `CREATE DATABASE`.
  public func makeDatabase(_ options: String = "") throws -> PostgresAddress {
    try PostgresAddress(makeDatabaseURI(options))
  }

  /// The URI of a new, empty database.
  public func makeDatabaseURI(_ options: String = "") throws -> String {
    let number = databaseCount.add(1, ordering: .relaxed).newValue
    let name = "test_\(ProcessInfo.processInfo.processIdentifier)_\(number)"
    let administrator = PostgresConnection(try PostgresAddress(uri))
    try administrator.execute("CREATE DATABASE \(name) \(options)")
    return uri.replacingOccurrences(of: "/postgres", with: "/" + name)
  }

  /// A parameter of the address.
  public func parameter(_ name: String) -> String? {
    URLComponents(string: uri)?.queryItems?.first { $0.name == name }?.value
  }

  /// Sends the signal of `pg_ctl stop --mode=immediate`, waits for the end, and starts the server again on the same port.
  public func restartAtOnce() throws {
    guard let folder, let port = parameter("port") else { return }
    let bin = try String(contentsOfFile: folder + "/data/postmaster.opts", encoding: .utf8)
      .split(separator: " ").first.map { String($0).replacingOccurrences(of: "/postgres", with: "") } ?? ""
    for arguments in [
      ["stop", "-m", "immediate", "-w"],
      ["start", "-w", "-l", folder + "/log", "-o", "-p \(port) -c listen_addresses=127.0.0.1"],
    ] {
      let process = Process()
      let isRoot = getuid() == 0
      process.executableURL = URL(fileURLWithPath: isRoot ? "/usr/bin/setpriv" : bin + "/pg_ctl")
      process.arguments =
        (isRoot ? ["--reuid=nobody", "--regid=nogroup", "--clear-groups", bin + "/pg_ctl"] : [])
        + arguments + ["-s", "-D", folder + "/data"]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else {
        throw Unavailable(description: "pg_ctl \(arguments[0]) failed")
      }
    }
  }
}
#endif
