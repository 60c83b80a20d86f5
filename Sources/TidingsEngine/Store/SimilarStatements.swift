internal import TidingsSQL

/// Statements with one text and different values, whose rows are read in the time of one where the store is remote.
final class SimilarStatements {
  /// Statements that are read together.
  static let countMax = 16

  private let connection: any SQLConnection
  private let sql: String
  private var statements: [any SQLStatement] = []

  init(_ connection: any SQLConnection, _ sql: String) throws(SQLError) {
    (self.connection, self.sql) = (connection, sql)
    // An error in the text is found now.
    _ = try self[0]
  }

  /// One of them, 0 to `countMax` - 1; another number is another statement.
  subscript(number: Int) -> any SQLStatement {
    get throws(SQLError) {
      precondition(number < Self.countMax, "no more are read together")
      while statements.count <= number { statements.append(try connection.prepare(sql)) }
      return statements[number]
    }
  }
}
