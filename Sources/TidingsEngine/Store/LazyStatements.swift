internal import TidingsSQL

/// A value to bind.
enum BoundValue {
  case number(Int64)
  case text(String)
  case bytes([UInt8])
}

/// Statements that are compiled when they are needed first: for what most servers rarely do.
final class LazyStatements {
  private let connection: any SQLConnection
  private var compiled: [String: any SQLStatement] = [:]

  init(_ connection: any SQLConnection) { self.connection = connection }

  /// The statement, with values for `?1`, `?2`, and so on.
  func callAsFunction(_ sql: String, _ values: BoundValue...) throws(SQLError) -> any SQLStatement {
    try bound(sql, values)
  }

  /// Runs a statement that returns no rows.
  func run(_ sql: String, _ values: BoundValue...) throws(SQLError) {
    try bound(sql, values).run()
  }

  /// The number in the first column of the first row; `nil`: there is no row, or null.
  func number(_ sql: String, _ values: BoundValue...) throws(SQLError) -> Int64? {
    let row = try bound(sql, values)
    defer { row.reset() }
    guard try row.step(), !row.isNull(0) else { return nil }
    return row.int64(0)
  }

  /// Runs a statement that returns a row for each one that it changed.
  func count(_ sql: String, _ values: BoundValue...) throws -> Int {
    let rows = try bound(sql, values)
    var count = 0
    try rows.forEachRow { count += 1 }
    return count
  }

  private func bound(_ sql: String, _ values: [BoundValue]) throws(SQLError) -> any SQLStatement {
    let statement: any SQLStatement
    if let known = compiled[sql] {
      statement = known
    } else {
      statement = try connection.prepare(sql)
      compiled[sql] = statement
    }
    for (offset, value) in values.enumerated() {
      switch value {
      case .number(let number): statement.bind(number, at: offset + 1)
      case .text(let text): statement.bind(text, at: offset + 1)
      case .bytes(let bytes): statement.bind(bytes, at: offset + 1)
      }
    }
    return statement
  }
}
