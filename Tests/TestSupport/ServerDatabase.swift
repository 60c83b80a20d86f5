internal import Foundation

#if PostgreSQL
internal import PostgresTestSupport
internal import Synchronization
#endif

/// The databases of servers that tests start: those in their data folders, or with `TIDINGS_TEST_STORE=postgresql`
/// one of a PostgreSQL server for each data folder.
enum ServerDatabase {
  #if PostgreSQL
  private static let made = Mutex<[String: String]>([:])
  #endif

  /// What the environment of a server with a data folder must contain.
  static func environment(of folder: TemporaryFolder) throws -> [String: String] {
    guard ProcessInfo.processInfo.environment["TIDINGS_TEST_STORE"] == "postgresql" else {
      return [:]
    }
    #if PostgreSQL
    let cluster = try PostgresCluster.shared()
    let uri = try made.withLock { made in
      if let uri = made[folder.path] { return uri }
      let uri = try cluster.makeDatabaseURI()
      made[folder.path] = uri
      return uri
    }
    return ["RPCD_DATABASE": uri]
    #else
    throw WaitingFailure(description: "built without PostgreSQL")
    #endif
  }
}
