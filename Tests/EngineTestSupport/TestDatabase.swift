internal import Foundation
internal import TestSupport
internal import TidingsEngine
package import TidingsSQL
internal import TidingsSQLite

#if PostgreSQL
internal import PostgresTestSupport
internal import Synchronization
internal import TidingsPostgres
#endif

/// An empty database of one test: a file, or with `TIDINGS_TEST_STORE=postgresql` a database of a PostgreSQL server.
package final class TestDatabase: Sendable {
  /// Whether tests run on files.
  package static let isEmbedded =
    ProcessInfo.processInfo.environment["TIDINGS_TEST_STORE"] != "postgresql"

  /// How many rounds a random test makes: a quarter on a server, where each statement takes much longer.
  package static func rounds(_ count: Int) -> Int { isEmbedded ? count : max(1, count / 4) }

  private enum Location {
    case file(String)
    case server(String)
  }

  private let location: Location

  /// A database on the engine that tests run on.
  package convenience init() throws {
    if Self.isEmbedded {
      try self.init(file: TemporaryFolder().file("db"))
    } else {
      #if PostgreSQL
      self.init(.server(try Self.makeOnServer()))
      #else
      throw SQLError(.denied, "built without PostgreSQL")
      #endif
    }
  }

  /// A database in a file, on which the test depends.
  package convenience init(file: String) throws { self.init(.file(file)) }

  private init(_ location: Location) { self.location = location }

  deinit {
    #if PostgreSQL
    guard case .server(let uri) = location else { return }
    try? PostgresCluster.shared().dropDatabase(uri)
    #endif
  }

  /// The file.
  package var path: String {
    guard case .file(let path) = location else { preconditionFailure("not in a file") }
    return path
  }

  /// Opens a connection, which keeps the database.
  package func connect(readsOnly: Bool = false) throws -> any SQLConnection {
    switch location {
    case .file(let path):
      let connection = try SQLiteConnection(path: path, readsOnly: readsOnly)
      // Nobody turns the power off.
      try connection.execute("PRAGMA synchronous = OFF")
      return connection
    case .server(let uri):
      #if PostgreSQL
      var profile = readsOnly ? PostgresProfile.reader : .writer
      // Tests wait for each other, on a busy machine also for long.
      profile.idleTransactionMilliseconds = nil
      let connection = PostgresConnection(try PostgresAddress(uri), profile: profile)
      try connection.execute("SET synchronous_commit = off")
      return HoldingConnection(connection, self)
      #else
      throw SQLError(.denied, "built without PostgreSQL: \(uri)")
      #endif
    }
  }
}

#if PostgreSQL
extension TestDatabase {
  /// The name of a database that has the tables of a new store.
  private static let template = Mutex<String?>(nil)

  private static func makeOnServer() throws -> String {
    let cluster = try PostgresCluster.shared()
    let name = try template.withLock { name in
      if let name { return name }
      let uri = try cluster.makeDatabaseURI()
      try PostgresConnection(try PostgresAddress(uri))
        .migrate(Migration.store)
      let made = cluster.name(of: uri)
      name = made
      return made
    }
    return try cluster.makeDatabaseURI("TEMPLATE \(name)")
  }
}

/// A connection that keeps the database of a test as long as it exists.
private final class HoldingConnection: SQLConnection {
  private let connection: PostgresConnection
  private let database: TestDatabase

  init(_ connection: PostgresConnection, _ database: TestDatabase) {
    (self.connection, self.database) = (connection, database)
  }

  func prepare(_ sql: String) throws(SQLError) -> any SQLStatement { try connection.prepare(sql) }
  func prepare(_ sql: String, inPagesBy key: PageKey) throws(SQLError) -> any SQLStatement {
    try connection.prepare(sql, inPagesBy: key)
  }
  func prepare(
    _ sql: String,
    besides insertion: SQLInsertion
  ) throws(SQLError) -> any SQLStatement {
    try connection.prepare(sql, besides: insertion)
  }
  func execute(_ sql: String) throws(SQLError) { try connection.execute(sql) }
  var interruption: any SQLInterruption { connection.interruption }
  var insertions: InsertionQueue? { connection.insertions }
  func abandon() { connection.abandon() }
  func migrate(_ migrations: [Migration]) throws { try connection.migrate(migrations) }
}
#endif
