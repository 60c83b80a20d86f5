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
  /// The server cannot infer the type of a null, which the driver knows when a value is bound.
  private static let untyped: Set = ["42P08", "42P18"]

  @Test("PostgreSQL compiles each statement of the engine")
  func compile() throws {
    let connection = PostgresConnection(try PostgresCluster.shared().makeDatabase())
    let recorder = RecordingConnection(connection)
    _ = try Engine(recorder) { .now }
    // Those in which values are inserted are not found in the sources.
    let statements =
      try EngineStatement.all(in: "TidingsEngine")
      + recorder.statements.map { EngineStatement(file: "Engine", line: 0, sql: $0) }
    #expect(statements.count > 400)
    for statement in statements {
      try connection.execute("BEGIN")
      do throws(SQLError) {
        // All parameters are null: what cannot be stored so is compiled nevertheless.
        _ = try connection.prepare(statement.sql).step()
      } catch  where error.kind == .statement {
        let isForeign = error.state?.hasPrefix("42") ?? true
        if isForeign, !Self.untyped.contains(error.state ?? "") {
          Issue.record(
            "\(statement.file):\(statement.line): \(error), '\(statement.sql)': write it in the dialect that SQLite and PostgreSQL share"
          )
        }
      } catch {
        Issue.record("\(statement.file):\(statement.line): \(error)")
      }
      connection.abandon()
    }
  }
}
#endif
