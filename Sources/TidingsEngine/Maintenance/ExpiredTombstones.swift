internal import TidingsSQL

/// Rows of deleted items, each of an owner, with a number and a name: the oldest are removed a few
/// at a time, and their owners' floors rise to the numbers that are forgotten.
struct ExpiredTombstones {
  /// Most rows removed in one piece.
  static let rowsMax: Int64 = 200

  private let select: any SQLStatement
  private let delete: any SQLStatement
  private let raise: any SQLStatement

  /// Prepares the statements.
  ///
  /// - Parameters:
  ///   - connection: The store.
  ///   - select: Owner, number and name of rows older than `?1`, the oldest first, at most `?2`; then
  ///     what each counts in an account, and the number of the database whose owner pays.
  ///   - delete: Removes the row of owner `?1` with the name `?2`.
  ///   - raise: Raises the floor of owner `?1` to the number `?2`, unless it is higher.
  /// - Throws: `SQLError`.
  init(_ connection: any SQLConnection, select: String, delete: String, raise: String) throws {
    self.select = try connection.prepare(select)
    self.delete = try connection.prepare(delete)
    self.raise = try connection.prepare(raise)
  }

  /// Removes a piece of what is too old.
  ///
  /// - Parameters:
  ///   - oldest: Milliseconds of steady time.
  ///   - removed: Called with what a row counted, and in which database.
  /// - Returns: How many rows.
  /// - Throws: `SQLError`; what `removed` throws.
  func forget(
    before oldest: Int64,
    _ removed: (_ cost: Int64, _ database: Int64) throws -> Void = { _, _ in }
  ) throws -> Int64 {
    var rows: [(owner: Int64, number: Int64, name: String, cost: Int64, database: Int64)] = []
    select.bind(oldest, at: 1)
    select.bind(Self.rowsMax, at: 2)
    try select.forEachRow {
      rows.append(
        (
          select.int64(0), select.int64(1), select.string(2), select.int64(3), select.int64(4)
        )
      )
    }
    var floors: [Int64: Int64] = [:]
    for row in rows {
      delete.bind(row.owner, at: 1)
      delete.bind(row.name, at: 2)
      try delete.run()
      floors[row.owner] = max(floors[row.owner] ?? 0, row.number)
    }
    for (owner, floor) in floors {
      raise.bind(owner, at: 1)
      raise.bind(floor, at: 2)
      try raise.run()
    }
    // Only now the rows and the limits show again how far the numbers are.
    for row in rows { try removed(row.cost, row.database) }
    return Int64(rows.count)
  }
}
