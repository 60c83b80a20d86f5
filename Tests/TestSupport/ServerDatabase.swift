internal import Foundation
public import Testing

#if PostgreSQL
internal import PostgresTestSupport
internal import Synchronization
internal import TidingsPostgres
internal import TidingsSQL
#endif

/// The databases of servers that tests start: those in their data folders, or with `TIDINGS_TEST_STORE=postgresql`
/// one of a PostgreSQL server for each data folder.
public enum ServerDatabase {
  /// Whether they are in the data folders.
  public static let isEmbedded =
    ProcessInfo.processInfo.environment["TIDINGS_TEST_STORE"] != "postgresql"

  /// Whether servers that tests start are nodes that follow another one, which has the database
  /// (`TIDINGS_TEST_STORE=postgresql` with `TIDINGS_TEST_NODES=2`).
  public static let hasNodes =
    !isEmbedded && ProcessInfo.processInfo.environment["TIDINGS_TEST_NODES"] == "2"

  #if PostgreSQL
  private static let made = Mutex<[String: String]>([:])
  #endif

  /// What the environment of a program with these arguments must contain.
  static func environment(for arguments: [String]) throws -> [String: String] {
    guard !isEmbedded, let option = arguments.firstIndex(of: "--data"),
      option + 1 < arguments.count
    else { return [:] }
    return try environment(ofDataFolder: arguments[option + 1])
  }

  /// What the environment of a program must contain to use the database that belongs to a data folder.
  static func environment(ofDataFolder path: String) throws -> [String: String] {
    #if PostgreSQL
    return ["RPCD_DATABASE": try uri(ofDataFolder: path)]
    #else
    throw WaitingFailure(description: "built without PostgreSQL")
    #endif
  }

  /// A number from the database of a server, which is not embedded.
  ///
  /// - Parameters:
  ///   - sql: What to select.
  ///   - path: The data folder.
  /// - Returns: The first column of the first row.
  /// - Throws: `SQLError`, or when there is no row.
  public static func number(_ sql: String, ofDataFolder path: String) throws -> Int64 {
    #if PostgreSQL
    let connection = PostgresConnection(try PostgresAddress(try uri(ofDataFolder: path)))
    let select = try connection.prepare("SELECT \(sql)")
    defer { select.reset() }
    if try select.step() { return select.int64(0) }
    #endif
    throw WaitingFailure(description: "no row: \(sql)")
  }

  /// What a program that starts servers itself, by a path, is given for `rpcd`.
  ///
  /// - Parameter rpcd: The path of `rpcd`.
  /// - Returns: The path, and what the environment of the program must contain.
  /// - Throws: When there is no server.
  package static func started(
    byPath rpcd: String
  ) throws -> (path: String, environment: [String: String]) {
    guard !isEmbedded else { return (rpcd, [:]) }
    #if PostgreSQL
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return (
      root.appendingPathComponent("tools/rpcd-on-postgres").path,
      ["TIDINGS_TEST_DATABASE": try PostgresCluster.shared().uri, "TIDINGS_RPCD": rpcd]
    )
    #else
    throw WaitingFailure(description: "built without PostgreSQL")
    #endif
  }

  #if PostgreSQL
  /// The address of the database that belongs to a data folder.
  static func uri(ofDataFolder path: String) throws -> String {
    let cluster = try PostgresCluster.shared()
    return try made.withLock { made in
      if let uri = made[path] { return uri }
      // Hundreds of them would fill the disk.
      for (path, uri) in made where !isThere(path) {
        try cluster.dropDatabase(uri)
        made[path] = nil
      }
      let uri = try cluster.makeDatabaseURI()
      made[path] = uri
      return uri
    }
  }

  /// Whether a test still has the folder in which a data folder is, or will be.
  private static func isThere(_ path: String) -> Bool {
    FileManager.default.fileExists(
      atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path
    )
  }
  #endif
}

extension Trait where Self == ConditionTrait {
  /// What is tested is about the files of the embedded store.
  public static var embeddedOnly: Self {
    .enabled(if: ServerDatabase.isEmbedded, "this is about the embedded store")
  }
}
