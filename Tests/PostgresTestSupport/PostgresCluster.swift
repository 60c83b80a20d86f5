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
  /// Closed by the system when this process ends, on which the server ends too.
  private let input: Pipe?
  private let output: Pipe?
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

  /// Whether tests may make servers of their own.
  public static var canMake: Bool {
    isAvailable && ProcessInfo.processInfo.environment["TIDINGS_TEST_DATABASE"] == nil
  }

  /// The server that tests share.
  public static func shared() throws -> PostgresCluster {
    try made.withLock { made in
      if made == nil { made = Result { try PostgresCluster() } }
      guard let made else { throw Unavailable(description: "not made") }
      return try made.get()
    }
  }

  /// What commits do while the standby does not answer.
  public enum Standby: String {
    /// They wait for it.
    case synchronous
    case asynchronous
  }

  /// A server of a test's own, which it may break.
  ///
  /// - Parameter standby: A second server takes over with `failOver`; `nil`: there is none.
  /// - Throws: `Unavailable`.
  public init(standby: Standby? = nil) throws {
    if let uri = ProcessInfo.processInfo.environment["TIDINGS_TEST_DATABASE"] {
      (self.uri, folder, input, output) = (uri, nil, nil, nil)
      return
    }
    let process = Self.tool(standby.map { ["--standby", $0.rawValue] } ?? [])
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let lines = Self.lines(2, from: output.fileHandleForReading)
    guard lines.count == 2 else {
      throw Unavailable(description: "tools/postgres-cluster has started no server")
    }
    (uri, folder, self.input, self.output) = (lines[0], lines[1], input, output)
  }

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

  /// The address of a new, empty database; the options are for `CREATE DATABASE`.
  public func makeDatabase(_ options: String = "") throws -> PostgresAddress {
    try PostgresAddress(makeDatabaseURI(options))
  }

  /// The URI of a new, empty database.
  public func makeDatabaseURI(_ options: String = "") throws -> String {
    let number = databaseCount.add(1, ordering: .relaxed).newValue
    let name = "test_\(ProcessInfo.processInfo.processIdentifier)_\(number)"
    let administrator = PostgresConnection(try PostgresAddress(uri))
    try administrator.execute("CREATE DATABASE \(name) \(options)")
    guard var parts = URLComponents(string: uri) else {
      throw Unavailable(description: "TIDINGS_TEST_DATABASE is not an address postgresql://…")
    }
    parts.path = "/" + name
    return parts.string ?? ""
  }

  /// The name of a database that was made here.
  public func name(of databaseURI: String) -> String {
    URLComponents(string: databaseURI)?.path.split(separator: "/").last.map(String.init) ?? ""
  }

  /// The URI of a database that was made here, for connections through a proxy, which are not encrypted.
  ///
  /// - Throws: `Unavailable` when the server was not made for the tests.
  public func uri(of databaseURI: String, through port: UInt16) throws -> String {
    guard let folder else { throw Unavailable(description: "the server is not the tests' own") }
    let password = try String(contentsOfFile: folder + "/password", encoding: .utf8)
    return
      "postgresql://tidings:\(password)@127.0.0.1:\(port)/\(name(of: databaseURI))?sslmode=disable"
  }

  /// The port of 127.0.0.1 at which the server is.
  ///
  /// - Throws: `Unavailable` when its address has none.
  public func port() throws -> UInt16 {
    guard let port = parameter("port").flatMap({ UInt16($0) }) else {
      throw Unavailable(description: "the server's address has no port")
    }
    return port
  }

  /// Removes a database that was made here, and ends the connections to it.
  public func dropDatabase(_ databaseURI: String) throws {
    try PostgresConnection(try PostgresAddress(uri))
      .execute("DROP DATABASE IF EXISTS \(name(of: databaseURI)) WITH (FORCE)")
  }

  /// A parameter of the address.
  public func parameter(_ name: String) -> String? {
    URLComponents(string: uri)?.queryItems?.first { $0.name == name }?.value
  }

  /// Ends the server as a crash does, and starts it again on the same port.
  public func crash() throws { try command("crash", answer: "crashed") }

  /// Takes a base backup.
  public func backUp() throws { try command("backup", answer: "backed up") }

  /// Goes back to the time of the restore point `tidings`, which is later than the backup.
  public func restore() throws { try command("restore", answer: "restored") }

  /// Ends a process of the server that serves `rpcd`, as the system does when memory is short; the server ends the others, and
  /// starts again.
  public func killBackend() throws { try command("kill", answer: "killed") }

  /// Ends the server as a crash does, and promotes the standby.
  public func failOver() throws { try command("failover", answer: "failed over") }

  /// Waits until the standby has everything.
  public func awaitStandby() throws { try command("await", answer: "there") }

  /// Ends the stream to the standby.
  public func cutStream() throws { try command("cut", answer: "cut") }

  /// Begins it again.
  public func resumeStream() throws { try command("stream", answer: "streaming") }

  private func command(_ command: String, answer: String) throws {
    guard let input, let output else {
      throw Unavailable(description: "the server is not of these tests")
    }
    try input.fileHandleForWriting.write(contentsOf: Data("\(command)\n".utf8))
    guard Self.lines(1, from: output.fileHandleForReading) == [answer] else {
      throw Unavailable(description: "the server has not answered '\(command)' with '\(answer)'")
    }
  }
}
#endif
