internal import Foundation
internal import PostgresTestSupport
internal import TestSupport
internal import Testing
internal import TidingsFiles

/// The store of a data folder, which is moved into a PostgreSQL database and back.
struct StoreMoves {
  /// The database in which it is; `nil`: it is in the data folder.
  private(set) var database: String?

  /// Moves the store of a stopped server.
  ///
  /// - Parameter folder: The folder in which `data` is.
  /// - Returns: The variables with which the next server is started.
  /// - Throws: When the copy fails.
  mutating func move(_ folder: TemporaryFolder) async throws -> [String: String] {
    #if PostgreSQL
    if let old = database {
      // What was copied from is an older store by now; only the server's keys are still needed.
      for name in try Folder.names(folder.file("data")) where Self.isContent(name) {
        try FileManager.default.removeItem(atPath: folder.file("data/\(name)"))
      }
      let run = try await CopyRun(.fromDatabase, old, folder.file("data"))
      try #require(run.exit == .code(0), "\(run.errors)")
      database = nil
      return [:]
    }
    let new = try PostgresCluster.shared().makeDatabaseURI()
    let run = try await CopyRun(.toDatabase, new, folder.file("data"))
    try #require(run.exit == .code(0), "\(run.errors)")
    database = new
    return ["RPCD_DATABASE": new]
    #else
    throw WaitingFailure(description: "built without PostgreSQL")
    #endif
  }

  /// Whether something in a data folder is copied.
  private static func isContent(_ name: String) -> Bool {
    name.hasPrefix("tidings.sqlite") || name.hasSuffix(".log")
      || ["assets", "store.state"].contains(name)
  }
}

/// What `rpcd copy-store` does.
struct CopyRun {
  enum Direction: String, CaseIterable {
    case toDatabase = "--to-database"
    case fromDatabase = "--from-database"
  }

  let exit: ServerProcess.Exit
  let output: String
  let errors: String

  /// Starts a copy.
  static func start(
    _ direction: Direction,
    _ database: String,
    _ data: String
  ) throws -> ServerProcess {
    try ServerProcess(
      arguments: ["copy-store", "--data", data, direction.rawValue],
      environment: ["RPCD_DATABASE": database]
    )
  }

  /// Copies, and waits for the end.
  init(_ direction: Direction, _ database: String, _ data: String) async throws {
    let process = try Self.start(direction, database, data)
    exit = try await process.waitForExit()
    (output, errors) = (process.seen.value.output, process.seen.value.errors)
  }
}
