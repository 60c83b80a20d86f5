#if PostgreSQL
internal import TidingsPostgres
internal import TidingsSQL

/// Remembers what is compiled.
final class RecordingConnection: SQLConnection {
  private let connection: PostgresConnection
  private(set) var statements: [String] = []

  init(_ connection: PostgresConnection) { self.connection = connection }

  func prepare(_ sql: String) throws(SQLError) -> any SQLStatement {
    statements.append(sql)
    return try connection.prepare(sql)
  }

  func execute(_ sql: String) throws(SQLError) { try connection.execute(sql) }
  var interruption: any SQLInterruption { connection.interruption }
  func abandon() { connection.abandon() }
  func migrate(_ migrations: [Migration]) throws { try connection.migrate(migrations) }
}
#endif
