#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import TestSupport
internal import Testing
internal import TidingsSQL
internal import TidingsSQLite

@testable internal import TidingsEngine
@testable internal import TidingsPostgres

/// The store's tables on PostgreSQL, and what is checked before they are used.
@Suite(
  .serialized,
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct DatabaseTests {
  private let uri: String
  private let connection: PostgresConnection
  private static let steps = [
    Migration(
      number: 1,
      name: "first",
      sql: "CREATE TABLE a (n BIGINT); INSERT INTO a VALUES (1);",
      postgresSQL: "INSERT INTO a VALUES (2);"
    ),
    Migration(
      number: 2,
      name: "second",
      sql: "ALTER TABLE a ADD COLUMN m BIGINT; UPDATE a SET m = n + 1;"
    ),
  ]

  init() throws {
    uri = try PostgresCluster.shared().makeDatabaseURI()
    connection = PostgresConnection(try PostgresAddress(uri))
  }

  private func numbers(_ sql: String) throws -> [Int64] {
    let statement = try connection.prepare(sql)
    var numbers: [Int64] = []
    try statement.forEachRow { numbers.append(statement.int64(0)) }
    return numbers
  }

  private func texts(_ connection: any SQLConnection, _ sql: String) throws -> [String] {
    let statement = try connection.prepare(sql)
    var texts: [String] = []
    try statement.forEachRow { texts.append(statement.string(0)) }
    return texts
  }

  @Test("steps run once, in order, and only those that the database has not seen")
  func migrates() throws {
    try connection.migrate([Self.steps[0]])
    #expect(try numbers("SELECT n FROM a ORDER BY n") == [1, 2])
    for _ in 0..<2 { try connection.migrate(Self.steps) }
    #expect(try numbers("SELECT m FROM a ORDER BY m") == [2, 3])
    #expect(try numbers("SELECT number FROM migrations ORDER BY number") == [1, 2])
  }

  @Test(
    "a step that fails leaves nothing behind; a newer database and one of another program are refused"
  )
  func refuses() throws {
    let broken = Migration(number: 2, name: "broken", sql: "CREATE TABLE b (n BIGINT); NONSENSE")
    #expect(throws: SQLError.self) { try connection.migrate([Self.steps[0], broken]) }
    #expect(
      try numbers("SELECT count(*) FROM pg_class WHERE relname IN ('a', 'b', 'migrations')") == [0]
    )
    try connection.migrate(Self.steps)
    do {
      try connection.migrate([Self.steps[0]])
      Issue.record("the newer database was accepted")
    } catch {
      #expect(
        error is MigrationError && "\(error)".contains("schema 2") && "\(error)".contains("knows 1")
      )
    }
    try connection.execute("DROP TABLE migrations")
    do {
      try connection.migrate(Self.steps)
      Issue.record("tables of another program were accepted")
    } catch {
      #expect(error is MigrationError && "\(error)".contains("empty database"))
    }
  }

  @Test("of several programs that start at once, one migrates")
  func atOnce() async throws {
    let uri = uri
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let connection = PostgresConnection(try PostgresAddress(uri))
          try connection.migrate(Self.steps)
        }
      }
      try await group.waitForAll()
    }
    #expect(try numbers("SELECT n FROM a ORDER BY n") == [1, 2])
  }

  @Test("a database has the tables, columns, keys and indexes of the embedded store")
  func tables() throws {
    try connection.migrate(Migration.store)
    let folder = try TemporaryFolder()
    let embedded = try SQLiteConnection(path: folder.file("db"))
    try embedded.migrate(Migration.store)
    let columns = (
      try texts(
        embedded,
        """
        SELECT m.name || '.' || c.name || ' ' || CASE c.type WHEN 'BLOB' THEN 'bytea' WHEN 'TEXT' THEN 'text'
            ELSE 'bigint' END || CASE WHEN c."notnull" OR c.pk > 0 THEN ' not null' ELSE '' END
            || coalesce(' ' || c.dflt_value, '')
        FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'
        """
      ),
      try texts(
        connection,
        """
        SELECT table_name || '.' || column_name || ' ' || data_type
            || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END
            || coalesce(' ' || replace(column_default, '::text', ''), '')
        FROM information_schema.columns c JOIN pg_class t ON t.oid = c.table_name::regclass
        WHERE table_schema = 'public' AND t.relkind = 'r'
        """
      )
    )
    // Only commits over a network can lose their answers, and only a database on a server can have several nodes.
    let notes: Set = [
      "commits.term bigint not null", "commits.number bigint not null",
      "leader.id bigint not null", "leader.term bigint not null", "leader.name text not null",
      "leader.endpoint text not null", "leader.beat bigint not null",
      "leader_keys.key text not null",
    ]
    let common = columns.1.filter { !Self.isDatabaseContent($0) }
    #expect(Set(columns.0).symmetricDifference(common) == notes)
    #expect(
      Set(DatabaseContent.tables).isSubset(of: columns.1.map { String($0.prefix { $0 != "." }) })
    )
    let indexes = (
      try texts(
        embedded,
        "SELECT tbl_name || '.' || name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
      ),
      try texts(
        connection,
        "SELECT tablename || '.' || indexname FROM pg_indexes WHERE schemaname = 'public'"
      )
    )
    #expect(Set(indexes.0).subtracting(indexes.1) == [])
    #expect(
      Set(indexes.1).subtracting(indexes.0).allSatisfy {
        $0.hasSuffix("_pkey") || $0.hasSuffix("_key") || Self.isDatabaseContent($0)
      }
    )
    #expect(try connection.facts().problems == [])
  }

  /// Whether a column or index is of a table that embedded stores do not have.
  private static func isDatabaseContent(_ name: String) -> Bool {
    DatabaseContent.tables.contains { name.hasPrefix($0 + ".") }
  }

  @Test("text that is not in the order of its bytes, other encodings and missing rights are found")
  func checks() throws {
    #expect(try connection.facts().problems == [])
    #expect(try connection.facts().version >= PostgresFacts.oldestVersion)
    try connection.execute("CREATE TABLE t (s TEXT COLLATE \"default\")")
    #expect(try connection.facts().unorderedColumn == "t.s")
    let name = try #require(uri.prefix { $0 != "?" }.split(separator: "/").last)
    try connection.execute(
      "DROP TABLE t; CREATE TABLE r (n BIGINT); REVOKE CREATE ON SCHEMA public FROM PUBLIC"
    )
    let role = "reader_\(name)"
    try connection.execute(
      "CREATE ROLE \(role) LOGIN; GRANT \(role) TO CURRENT_USER; SET ROLE \(role)"
    )
    let facts = try connection.facts()
    #expect(!facts.canCreate && facts.deniedTable == "r" && facts.problems.count == 2)
    try connection.execute("RESET ROLE; SET synchronous_commit = off")
    #expect(try !connection.facts().commitsWait)
    let latin = try PostgresCluster.shared()
      .makeDatabase("ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0")
    #expect(try PostgresConnection(latin).facts().encoding == "LATIN1")
  }

  @Test("sslmode=verify-full accepts the server's name and authority, and nothing else")
  func certificates() throws {
    let cluster = try PostgresCluster.shared()
    guard let folder = cluster.folder, let port = cluster.parameter("port") else { return }
    let password = try String(contentsOfFile: folder + "/password", encoding: .utf8)
    func connect(_ host: String, _ options: String) -> SQLError? {
      do {
        let address = try PostgresAddress(
          "postgresql://tidings:\(password)@\(host):\(port)/postgres?hostaddr=127.0.0.1&\(options)"
        )
        let connection = PostgresConnection(address)
        #expect(
          try texts(connection, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") == ["1"]
        )
        return nil
      } catch {
        return error as? SQLError
      }
    }
    #expect(connect("localhost", "sslmode=verify-full&sslrootcert=\(folder)/ca.crt") == nil)
    let otherName = connect("127.0.0.1", "sslmode=verify-full&sslrootcert=\(folder)/ca.crt")
    #expect(otherName?.kind == .disconnected && otherName?.message.contains("certificate") == true)
    let otherAuthority = connect(
      "localhost",
      "sslmode=verify-full&sslrootcert=\(folder)/server.crt"
    )
    #expect(otherAuthority?.kind == .disconnected)
    for error in [otherName, otherAuthority] {
      #expect(error.map { !"\($0)".contains(password) } == true)
    }
  }
}
#endif
