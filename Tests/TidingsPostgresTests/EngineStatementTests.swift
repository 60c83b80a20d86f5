#if PostgreSQL
internal import PostgresTestSupport
internal import Testing
internal import TidingsPostgres
internal import TidingsSQL

@testable internal import TidingsEngine

/// The engine's SQL is the shared dialect: PostgreSQL understands it, on the tables of the baseline.
@Suite(
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct EngineStatementTests {
  /// What is not in the shared dialect yet: rpcd does not run on PostgreSQL until this is empty.
  private static let foreign = [
    "Assets/AssetInventory.swift": "a subquery without a name",
    "Channels/ControlTopics.swift": "DO UPDATE with a column that is not qualified",
    "Erasure/UserEraser+Notifications.swift": "randomblob",
    "Erasure/UserEraser+Rows.swift": "INSERT OR IGNORE, UPDATE OR REPLACE, randomblob",
    "Queries/EntryBatches.swift": "a subquery without a name",
    "Sharing/SharedRecordTable.swift": "DO UPDATE with a column that is not qualified",
  ]

  /// The server cannot infer the type of a null, which the driver knows when a value is bound.
  private static let untyped: Set = ["42P08", "42P18"]

  @Test("PostgreSQL compiles each statement of the engine")
  func compile() throws {
    let connection = PostgresConnection(try PostgresCluster.shared().makeDatabase())
    try connection.migrate(Migration.store, baseline: .postgresBaseline)
    let statements = try EngineStatement.all(in: "TidingsEngine")
    #expect(statements.count > 200)
    var foreign: [String: String] = [:]
    for statement in statements {
      try connection.execute("BEGIN")
      do throws(SQLError) {
        // All parameters are null: what cannot be stored so is compiled nevertheless.
        _ = try connection.prepare(statement.sql).step()
      } catch  where error.kind == .statement {
        let isForeign = error.state?.hasPrefix("42") ?? true
        if isForeign, !Self.untyped.contains(error.state ?? "") {
          foreign[statement.file] = "line \(statement.line): \(error)"
        }
      } catch {
        Issue.record("\(statement.file):\(statement.line): \(error)")
      }
      connection.abandon()
    }
    for (file, reason) in foreign where Self.foreign[file] == nil {
      Issue.record("\(file), \(reason): write it in the dialect that SQLite and PostgreSQL share")
    }
    for file in Self.foreign.keys where foreign[file] == nil {
      Issue.record("\(file) is in the shared dialect now: remove it from the list")
    }
  }
}
#endif
