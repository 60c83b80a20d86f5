#if PostgreSQL
internal import PostgresTestSupport
internal import Testing
internal import TidingsModel
internal import TidingsPostgres
internal import TidingsSQL

@testable internal import TidingsEngine

/// How PostgreSQL finds the rows of the engine's statements, with what rpcd sets on its connections.
@Suite(
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct EnginePlanTests {
  /// What may read a whole table or sort: a part of the statement, and why.
  private static let exceptions = [
    ("FROM directory_entries", "the beginning of other statements"),
    ("max(size) AS size FROM assets GROUP BY checksum", "an administrator counts all assets"),
    ("FROM channels WHERE members > 0", "all that are watched are read at the start"),
    ("FROM environment_resets", "resets that run"),
    ("UPDATE environment_resets", "resets that run"),
    ("reader <> '' AND members = 0", "an index of few channels or another"),
    ("zone_removals SET origin_user", "removals that run"),
    ("user_erasures SET requested_by", "administrators erase few users"),
    ("FROM user_erasures WHERE user IS NOT NULL", "erasures that run, read at the start"),
    ("FROM erased_databases", "erasures that run"),
    ("FROM usage", "an administrator asks for statistics"),
    ("count(*) FROM records WHERE deleted", "an administrator asks for statistics"),
    ("count(*) FROM zones", "an administrator asks for statistics"),
    ("count(*) FROM subscriptions WHERE ended IS NULL", "an administrator asks for statistics"),
    ("count(*) FROM channels", "an administrator asks for statistics"),
    ("count(*) FROM events", "an administrator asks for statistics"),
    ("count(*) FROM accounts", "an administrator asks for statistics"),
    ("FROM work_groups\n", "metrics, on a thread of their own, at most every 10 s"),
    ("count(*) FROM work_groups", "metrics, on a thread of their own, at most every 10 s"),
    ("count(*) FROM work_leases WHERE settled IS NULL", "metrics, at most every 10 s"),
    ("count(DISTINCT container)", "an administrator asks for statistics"),
    ("FROM settings", "limits of retention"),
    ("max(number) FROM migrations", "one row for each step"),
    ("c.id = e.channel_id ORDER BY e.id LIMIT", "the first rows of an index"),
    ("FROM field_indexes", "declared indexes"),
    ("accounts WHERE calls_per_second_max > 0", "read at the start"),
    ("FROM zone_removal_channels", "removals that run, read at the start"),
    ("FROM zone_removals", "removals that run, read at the start"),
    ("FROM memberships", "subscriptions of a user"),
  ]

  /// The server estimates what a partial index contains by its last count: within a minute it counts again.
  private static let partial = ["shares", "shared_records WHERE share_id"]

  /// The tables have grown since the server counted so many rows.
  @Test(
    "rows are found by an index, in the order in which they are read, but for a few statements",
    arguments: [5_000, 20, 0]
  )
  func plans(counted rows: Int) throws {
    let connection = PostgresConnection(try PostgresCluster.shared().makeDatabase())
    try connection.migrate(Migration.store)
    try fill(connection, rows: rows)
    try connection.execute("VACUUM ANALYZE")
    if rows < 5_000 { try fill(connection, rows: 5_000) }
    let statements = try EngineStatement.all(in: "TidingsEngine").map(\.sql) + prepared()
    #expect(statements.count > 400)
    var used: Set<Int> = []
    for sql in Set(statements).sorted() {
      do {
        let unbounded = try StatementPlan(of: sql, on: connection).unbounded
        let known = Self.exceptions.indices.filter { sql.contains(Self.exceptions[$0].0) }
        if !unbounded.isEmpty { used.formUnion(known) }
        let isPartial = rows < 5_000 && Self.partial.contains(where: sql.contains)
        #expect(unbounded.isEmpty || !known.isEmpty || isPartial, "\(sql): \(unbounded)")
      } catch {
        Issue.record("\(sql): \(error)")
      }
    }
    let unused = Self.exceptions.indices.filter { !used.contains($0) }.map { Self.exceptions[$0].0 }
    if rows == 5_000 { #expect(unused == [], "no exceptions") }
  }

  /// The statements of an engine and of its readers, also those in which values are inserted.
  private func prepared() throws -> [String] {
    let recorder = RecordingConnection(
      PostgresConnection(try PostgresCluster.shared().makeDatabase())
    )
    _ = try Engine(recorder) { ClockReading(undisturbed: Timestamp(millisecondsSince1970: 0)) }
    let reader = try EngineReader(recorder, limits: Limits())
    _ = try (reader.queries(), reader.notificationFeed(), reader.subscriptionHealth())
    _ = try (reader.sharedZones(), reader.recordLookup(), reader.explainer())
    return recorder.statements.filter { sql in
      ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains { sql.hasPrefix($0) }
    }
  }

  /// Fills each table with rows, of which some belong together.
  private func fill(_ connection: PostgresConnection, rows: Int) throws {
    let columns = try connection.prepare(
      """
      SELECT CAST(c.table_name AS TEXT), CAST(c.column_name AS TEXT), CAST(c.data_type AS TEXT),
        CAST(c.is_nullable AS TEXT)
      FROM information_schema.columns c JOIN information_schema.tables t
        ON t.table_schema = c.table_schema AND t.table_name = c.table_name
      WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
        AND c.table_name NOT IN ('migrations', 'commits')
      ORDER BY c.table_name, c.ordinal_position
      """
    )
    var tables: [String: [(column: String, value: String)]] = [:]
    try columns.forEachRow {
      let (table, column) = (columns.string(0), columns.string(1))
      let number = column.hasSuffix("_id") || tables[table] == nil ? "n" : "n % 97"
      var value =
        switch columns.string(2) {
        case "bigint": number
        case "bytea": "decode(lpad(to_hex(\(number)), 16, '0'), 'hex')"
        default: "'x' || \(number)"
        }
      if columns.string(3) == "YES" { value = "CASE WHEN n % 10 = 0 THEN \(value) END" }
      tables[table, default: []].append(("\"\(column)\"", value))
    }
    for (table, columns) in tables {
      let (names, values) = (columns.map(\.column), columns.map(\.value))
      try connection.execute(
        """
        INSERT INTO "\(table)" (\(names.joined(separator: ", ")))
        SELECT \(values.joined(separator: ", ")) FROM generate_series(1, \(rows)) n
        ON CONFLICT DO NOTHING
        """
      )
    }
  }
}
#endif
