#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsFiles
internal import TidingsPostgres
internal import TidingsSQL
internal import TidingsSQLite

/// A copy of a store in another database has all of its rows, or is no store.
@Suite(
  .endsServers,
  .embeddedOnly,
  .enabled(if: PostgresCluster.isAvailable, "no PostgreSQL server can be started here")
) struct StoreCopyTests {
  /// A copy that is not finished has one.
  private static let unfinishedTables =
    "SELECT count(*) FROM pg_class WHERE relname = 'unfinished_copy'"

  private func makeDatabase() throws -> String { try PostgresCluster.shared().makeDatabaseURI() }

  /// Tries to start a server.
  ///
  /// - Returns: What it wrote when it refused.
  private func refusal(
    _ folder: TemporaryFolder,
    _ environment: [String: String] = [:]
  ) async throws
    -> String
  {
    let process = try ServerProcess(
      arguments: [
        "--rpc", "tcp://127.0.0.1:0", "--push", "tcp://127.0.0.1:0", "--data", folder.file("data"),
      ],
      environment: environment
    )
    let seen = try await process.seen.wait("rpcd to refuse or to be ready") {
      $0.exit != nil || $0.output.contains("rpcd ready")
    }
    process.send(9)
    #expect(seen.exit == .code(1))
    return seen.errors
  }

  private func numbers(_ uri: String, _ sql: String) throws -> [Int64] {
    let select = try PostgresConnection(try PostgresAddress(uri)).prepare(sql)
    var numbers: [Int64] = []
    try select.forEachRow { numbers.append(select.int64(0)) }
    return numbers
  }

  /// The files of a data folder, without those that SQLite makes whenever a database is read.
  private func files(of store: FilledStore) throws -> [String: [UInt8]] {
    try store.folder.contents("data").filter {
      !$0.key.hasSuffix("-wal") && !$0.key.hasSuffix("-shm")
    }
  }

  // MARK: Complete copies

  @Test("rows of all tables, with all kinds of values, are the same after a copy and a copy back")
  func everyTable() async throws {
    var random = SplitMix64(seed: Seed.make("everyTable"))
    let store = try await FilledStore.make(rows: 150, using: &random)
    let original = try FilledStore.content(store.path)
    for (table, rows) in original where table != "migrations" && table != "store" {
      try #require(rows.count == 150, "\(table)")
    }
    let files = try files(of: store)
    let uri = try makeDatabase()
    let there = try await CopyRun(.toDatabase, uri, store.path)
    #expect(there.exit == .code(0), "\(there.errors)")
    #expect(try self.files(of: store) == files)

    let folder = try TemporaryFolder()
    let back = try await CopyRun(.fromDatabase, uri, folder.file("data"))
    #expect(back.exit == .code(0), "\(back.errors)")
    let copy = try FilledStore.content(folder.file("data"))
    #expect(Set(copy.keys) == Set(original.keys))
    for (table, rows) in original { #expect(copy[table] == rows, "\(table)") }
    #expect(
      try Folder.names(folder.file("data")).filter { !$0.hasPrefix("tidings.sqlite-") }.sorted()
        == ["assets", "lock", "store.state", "tidings.sqlite"]
    )
    let occupied = try TemporaryFolder()
    try Folder.make(occupied.file("data"))
    try occupied.write([], to: "data/schemas.3.log")
    let refused = try await CopyRun(.fromDatabase, uri, occupied.file("data"))
    #expect(
      refused.exit == .code(1) && refused.errors.contains("schemas.3.log"),
      "\(refused.errors)"
    )
  }

  @Test("rows that are inserted after a copy get numbers of their own")
  func identities() async throws {
    var random = SplitMix64(seed: Seed.make("identities"))
    let store = try await FilledStore.make(rows: 20, using: &random)
    let uri = try makeDatabase()
    let run = try await CopyRun(.toDatabase, uri, store.path)
    #expect(run.exit == .code(0), "\(run.errors)")
    let columns = try PostgresConnection(try PostgresAddress(uri)).prepare(
      """
      SELECT table_name, column_name FROM information_schema.columns WHERE is_identity = 'YES'
        AND table_schema = current_schema()
      """
    )
    var count = 0
    try columns.forEachRow {
      let (table, column) = (columns.string(0), columns.string(1))
      let next = try numbers(uri, "SELECT nextval(pg_get_serial_sequence('\(table)', '\(column)'))")
      let newest = try numbers(uri, "SELECT max(\(column)) FROM \(table)")
      #expect(next[0] == newest[0] + 1, "\(table)")
      count += 1
    }
    #expect(count > 5)
  }

  // MARK: Interrupted copies

  /// Starts a copy, and lets it exchange bytes with the database server until a condition holds or it has ended.
  ///
  /// - Returns: The copy, which is stopped, and what stops it.
  private func startStopping(
    _ direction: CopyRun.Direction,
    _ uri: String,
    _ path: String,
    when condition: () throws -> Bool
  ) async throws -> (ServerProcess, StoppingProxy) {
    let cluster = try PostgresCluster.shared()
    let proxy = try StoppingProxy(to: cluster.port())
    let process = try CopyRun.start(
      direction,
      try cluster.uri(of: uri, through: proxy.port),
      path
    )
    try await waitUntil("the copy to be where it is stopped", pausing: .zero) {
      guard process.seen.value.exit == nil, try !condition() else { return true }
      try await pass(2_048, proxy, process)
      return false
    }
    return (process, proxy)
  }

  /// Waits until the database server has noticed that its clients are gone: what they held is free then.
  private func waitForSessionsToEnd(_ uri: String) async throws {
    let sessions = """
      SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
        AND backend_type = 'client backend' AND pid <> pg_backend_pid()
      """
    try await waitUntil("sessions to end", pausing: .milliseconds(5)) {
      try numbers(uri, sessions) == [0]
    }
  }

  /// Lets a copy exchange bytes with the database server, and waits until it has or has ended.
  private func pass(_ count: Int, _ proxy: StoppingProxy, _ process: ServerProcess) async throws {
    proxy.allow(count)
    try await waitUntil("\(count) bytes to pass", pausing: .milliseconds(1)) {
      proxy.isStopping || process.seen.value.exit != nil
    }
  }

  /// Kills copies, the first one soon after it has begun, others anywhere, until one is complete.
  private func copyWithKills(
    _ direction: CopyRun.Direction,
    _ uri: String,
    _ path: String,
    using random: inout SplitMix64,
    isUnfinished: () throws -> Bool,
    isComplete: () throws -> Bool,
    whenUnfinished check: () async throws -> Void
  ) async throws {
    var unfinishedCount = 0
    for killCount in 0... {
      let (process, proxy) = try await startStopping(direction, uri, path) {
        try killCount > 0 || isUnfinished()
      }
      // The first is sure to come in time, and the last not to.
      let bytesMax = killCount == 0 ? 1 : killCount < 6 ? 262_144 * killCount : 1 << 40
      try await pass(1 + random.below(bytesMax), proxy, process)
      process.send(9)
      let exit = try await process.waitForExit()
      proxy.end()
      try await waitForSessionsToEnd(uri)
      if exit == .code(0) { break }
      try #require(exit == .signal(9), "\(process.seen.value.errors)")
      // It can be complete when it is killed.
      if try isComplete() { break }
      guard try isUnfinished() else { continue }
      unfinishedCount += 1
      try await check()
    }
    #expect(unfinishedCount > 0)
  }

  @Test(
    "a copy that is killed at any time is no store, and is continued",
    .enabled(if: PostgresCluster.canMake),
    .timeLimit(.minutes(10))
  )
  func killed() async throws {
    var random = SplitMix64(seed: Seed.make("killed"))
    let store = try await FilledStore.make(rows: 400, using: &random)
    let original = try FilledStore.content(store.path)
    let uri = try makeDatabase()
    try await copyWithKills(.toDatabase, uri, store.path, using: &random) {
      try numbers(uri, Self.unfinishedTables) == [1]
    } isComplete: {
      // The tables are made first.
      try numbers(uri, "SELECT count(*) FROM pg_class WHERE relname = 'store'") == [1]
        && numbers(uri, "SELECT count(*) FROM store") != [0]
        && numbers(uri, Self.unfinishedTables) == [0]
    } whenUnfinished: {
      let reason = try await refusal(store.folder, ["RPCD_DATABASE": uri])
      #expect(
        reason.contains("interrupted") && reason.contains("repeat rpcd copy-store"),
        "\(reason)"
      )
    }
    #expect(try numbers(uri, Self.unfinishedTables) == [0])

    let folder = try TemporaryFolder()
    try await copyWithKills(.fromDatabase, uri, folder.file("data"), using: &random) {
      Folder.isThere(folder.file("data/copying"))
    } isComplete: {
      try Folder.status(folder.file("data/tidings.sqlite")) != nil
        && !Folder.isThere(folder.file("data/copying"))
    } whenUnfinished: {
      #expect(try Folder.status(folder.file("data/tidings.sqlite")) == nil)
      let reason = try await refusal(folder)
      #expect(
        reason.contains("interrupted") && reason.contains("repeat rpcd copy-store"),
        "\(reason)"
      )
    }
    #expect(try FilledStore.content(folder.file("data")) == original)
  }

  @Test("an interrupted copy of a store that was used since starts again, and says so")
  func restarted() async throws {
    var random = SplitMix64(seed: Seed.make("restarted"))
    let store = try await FilledStore.make(rows: 30, using: &random)
    let uri = try makeDatabase()
    let first = try await CopyRun(.toDatabase, uri, store.path)
    try #require(first.exit == .code(0), "\(first.errors)")
    // As a copy that was ended before its last step.
    let connection = PostgresConnection(try PostgresAddress(uri))
    func interrupt(_ fingerprint: String) throws {
      try connection.execute(
        """
        CREATE TABLE unfinished_copy (id BIGINT PRIMARY KEY, source TEXT COLLATE "C" NOT NULL);
        INSERT INTO unfinished_copy VALUES (1, '\(fingerprint)');
        DELETE FROM zones
        """
      )
    }
    try interrupt("of another state")
    let again = try await CopyRun(.toDatabase, uri, store.path)
    #expect(again.exit == .code(0), "\(again.errors)")
    #expect(again.output.contains("started again") && !again.output.contains("resumed"))
    #expect(try numbers(uri, "SELECT count(*) FROM zones") == [30])
  }

  @Test(
    "a copy that is not as the store is found, and starts again",
    .enabled(if: PostgresCluster.canMake)
  )
  func different() async throws {
    var random = SplitMix64(seed: Seed.make("different"))
    let store = try await FilledStore.make(rows: 300, using: &random)
    let uri = try makeDatabase()
    let (copying, proxy) = try await startStopping(.toDatabase, uri, store.path) {
      try numbers(uri, Self.unfinishedTables) == [1]
    }
    copying.send(9)
    try #require(try await copying.waitForExit() == .signal(9))
    proxy.end()
    try await waitForSessionsToEnd(uri)
    // A row that the store does not have, before those that are copied next.
    try PostgresConnection(try PostgresAddress(uri)).execute(
      """
      DELETE FROM account_roles; INSERT INTO account_roles ("user", role) VALUES (' ', 'admin')
      """
    )
    let second = try await CopyRun(.toDatabase, uri, store.path)
    #expect(second.exit == .code(1))
    #expect(second.errors.contains("'account_roles'"), "\(second.errors)")
    #expect(try await refusal(store.folder, ["RPCD_DATABASE": uri]).contains("interrupted"))
    let third = try await CopyRun(.toDatabase, uri, store.path)
    #expect(third.exit == .code(0) && third.output.contains("started again"), "\(third.errors)")
    #expect(try numbers(uri, "SELECT count(*) FROM account_roles WHERE \"user\" = ' '") == [0])
  }

  // MARK: Refusals

  @Test("stores in use, targets that are not empty, and sources of other versions are refused")
  func refusals() async throws {
    let server = try await TestServer.start()
    let path = server.folder.file("data")
    let uri = try makeDatabase()
    func expect(
      _ direction: CopyRun.Direction,
      _ uri: String,
      _ path: String,
      _ words: String
    ) async throws {
      let run = try await CopyRun(direction, uri, path)
      #expect(run.exit == .code(1) && run.errors.contains(words), "\(run.errors)")
    }
    try await expect(.toDatabase, uri, path, "another rpcd uses the data folder")
    try await expect(.fromDatabase, uri, path, "another rpcd uses the data folder")
    try await server.stop()
    try await expect(.fromDatabase, uri, path, "contains a database already")
    let empty = try TemporaryFolder()
    try await expect(.fromDatabase, uri, empty.file("data"), "contains no store")
    try Folder.make(empty.file("data"))
    try await expect(.toDatabase, uri, empty.file("data"), "contains no store")
    try await expect(.toDatabase, uri, empty.file("none"), "there is no data folder")
    #expect(try numbers(uri, "SELECT count(*) FROM pg_class WHERE relname = 'records'") == [0])

    let running = try await TestServer.start(environment: ["RPCD_DATABASE": uri])
    try await expect(.fromDatabase, uri, empty.file("data"), "in use by rpcd")
    try await expect(.toDatabase, uri, path, "in use by rpcd")
    try await running.stop()
    try await expect(.toDatabase, uri, path, "is not empty")
    let other = try makeDatabase()
    try PostgresConnection(try PostgresAddress(other)).execute("CREATE TABLE theirs (n BIGINT)")
    try await expect(.toDatabase, other, path, "'theirs', which is not a table of rpcd")

    let connection = try SQLiteConnection(path: path + "/tidings.sqlite")
    try connection.execute(
      "UPDATE migrations SET number = 999 WHERE number = (SELECT max(number) FROM migrations)"
    )
    try await expect(.toDatabase, try makeDatabase(), path, "newer version")
    try connection.execute("DELETE FROM migrations WHERE number > 15")
    try await expect(.toDatabase, try makeDatabase(), path, "start rpcd on it once")
  }

  @Test("text that PostgreSQL cannot store is named, before anything is written")
  func unusableText() async throws {
    var random = SplitMix64(seed: Seed.make("unusableText"))
    for text in ["a\u{0}b", "a\u{fffd}b"] {
      let store = try await FilledStore.make(rows: 5, using: &random)
      let connection = try SQLiteConnection(path: store.path + "/tidings.sqlite")
      let update = try connection.prepare(
        "UPDATE accounts SET display_name = CAST(?1 AS TEXT), user = 'eve' WHERE user = (SELECT min(user) FROM accounts)"
      )
      // Not UTF-8 in the second case.
      let bytes = Array(text.utf8)
      update.bind(text.contains("\u{0}") ? bytes : [0x61, 0xff, 0x62], at: 1)
      try update.run()
      let uri = try makeDatabase()
      let run = try await CopyRun(.toDatabase, uri, store.path)
      #expect(run.exit == .code(1))
      #expect(
        run.errors.contains("'display_name'") && run.errors.contains("'accounts'")
          && run.errors.contains("user = 'eve'"),
        "\(run.errors)"
      )
      #expect(try numbers(uri, "SELECT count(*) FROM pg_class WHERE relname = 'accounts'") == [0])
    }
  }

  @Test("wrong usage has exit code 2 and says what is missing")
  func usage() async throws {
    let folder = try TemporaryFolder()
    let uri = ["RPCD_DATABASE": "postgresql://127.0.0.1:1/none"]
    let cases: [([String], [String: String], String)] = [
      (["--to-database"], uri, "--data FOLDER is needed"),
      (["--data", folder.file("data")], uri, "one of --to-database and --from-database"),
      (
        ["--data", folder.file("data"), "--to-database", "--from-database"], uri,
        "one of --to-database and --from-database"
      ),
      (
        ["--data", folder.file("data"), "--to-database"], ["RPCD_DATABASE": ""], "set RPCD_DATABASE"
      ),
      (["--data", folder.file("data"), "--to-database", "x"], uri, "no operands"),
    ]
    for (arguments, environment, words) in cases {
      let process = try ServerProcess(
        arguments: ["copy-store"] + arguments,
        environment: environment
      )
      #expect(try await process.waitForExit() == .code(2))
      #expect(process.seen.value.errors.contains(words), "\(process.seen.value.errors)")
    }
    let restored = try ServerProcess(arguments: ["restored"], environment: ["RPCD_DATABASE": ""])
    #expect(try await restored.waitForExit() == .code(2))
    #expect(!Folder.isThere(folder.file("data")))
  }
}
#endif
