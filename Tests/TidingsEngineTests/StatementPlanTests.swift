internal import TestSupport
internal import Testing
internal import TidingsModel
internal import TidingsSQL
internal import TidingsSQLite

@testable internal import TidingsEngine

/// How SQLite finds the rows of the engine's statements.
@Suite(.embeddedOnly) struct StatementPlanTests {
  @Test("what the loop changes or removes is found by an index, never by looking through a zone")
  func plans() throws {
    let connection = RecordingConnection(try SQLiteConnection(path: TemporaryFolder().file("db")))
    _ = try Engine(connection) {
      ClockReading(undisturbed: Timestamp(millisecondsSince1970: 0))
    }
    let statements = connection.statements.filter {
      $0.hasPrefix("DELETE") || $0.hasPrefix("UPDATE")
    }
    #expect(statements.count > 20)
    for sql in statements {
      let plan = try connection.plan(of: sql)
      #expect(!plan.contains { $0.hasPrefix("SCAN") && !$0.contains("INDEX") }, "\(sql): \(plan)")
      // A list of keys: SQLite may use only their first columns, and look through all that have them.
      guard let keys = Self.columnsBeforeIn(sql) else { continue }
      let search = plan.first ?? ""
      for key in keys {
        #expect(
          search.contains("(\(key)=?") || search.contains(" \(key)=?"),
          "\(sql): \(plan)"
        )
      }
    }
  }

  @Test("what a user has now is found without what the user had")
  func present() throws {
    let connection = RecordingConnection(try SQLiteConnection(path: TemporaryFolder().file("db")))
    _ = try Engine(connection) {
      ClockReading(undisturbed: Timestamp(millisecondsSince1970: 0))
    }
    _ = try AssetLookup(connection)
    for (condition, index, least) in [
      ("WHERE p.user = ?1 AND p.status = 2 AND p.permission >= 2", "share_members", 3),
      ("WHERE p.user = ?4 AND p.status = 2 AND p.permission >= 2", "share_members", 1),
      ("FROM shared_records WHERE share_id = ?1 AND gone = 0", "shared_records_present", 2),
      (
        "s.owner = ?1 AND s.container = ?2 AND s.environment = ?3 AND s.ended IS NULL",
        "subscriptions_active_by_owner", 2
      ),
      (
        "owner = ?1 AND container = ?2 AND environment = ?3 AND ended IS NOT NULL",
        "subscriptions_ended_by_owner", 1
      ),
    ] {
      let statements = connection.statements.filter { $0.contains(condition) }
      #expect(statements.count >= least, "\(condition)")
      for sql in statements {
        let plan = try connection.plan(of: sql)
        #expect(plan.contains { $0.contains("INDEX \(index) ") }, "\(sql): \(plan)")
      }
    }
  }

  @Test("what is read in an order is read in that order, never sorted first")
  func orders() throws {
    let connection = RecordingConnection(try SQLiteConnection(path: TemporaryFolder().file("db")))
    _ = try Engine(connection) {
      ClockReading(undisturbed: Timestamp(millisecondsSince1970: 0))
    }
    let reader = try EngineReader(connection, limits: Limits())
    _ = try reader.queries()
    _ = try reader.notificationFeed()
    _ = try reader.subscriptionHealth()
    // Of the declared indexes of a type, and of the subscriptions, the shares and the delivery targets of a user,
    // there are few.
    let small = [
      "FROM field_indexes", "FROM subscriptions", "FROM share_participants",
      "FROM delivery_targets WHERE owner",
    ]
    for sql in connection.statements
    where sql.contains("ORDER BY") && !small.contains(where: sql.contains) {
      let plan = try connection.plan(of: sql)
      #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(sql): \(plan)")
    }
  }

  /// The columns of `(a, b) IN (SELECT …)`.
  private static func columnsBeforeIn(_ sql: String) -> [Substring]? {
    guard let end = sql.firstRange(of: ") IN") else { return nil }
    let head = sql[..<end.lowerBound]
    guard let start = head.lastIndex(of: "(") else { return nil }
    return head[head.index(after: start)...].split { $0 == "," || $0 == " " }
  }
}

/// Remembers what was compiled.
private final class RecordingConnection: SQLConnection {
  private let connection: SQLiteConnection
  private(set) var statements: [String] = []

  init(_ connection: SQLiteConnection) { self.connection = connection }

  func prepare(_ sql: String) throws(SQLError) -> any SQLStatement {
    statements.append(sql)
    return try connection.prepare(sql)
  }

  func execute(_ sql: String) throws(SQLError) { try connection.execute(sql) }
  var interruption: any SQLInterruption { connection.interruption }
  func abandon() { connection.abandon() }

  /// The steps in which SQLite finds the rows of a statement.
  func plan(of sql: String) throws -> [String] {
    let explained = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
    var steps: [String] = []
    try explained.forEachRow { steps.append(explained.string(3)) }
    return steps
  }
}
