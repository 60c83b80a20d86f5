internal import TidingsModel
internal import TidingsSQL

/// The rows of indexes, for the loop that writes them.
///
/// An entry that is no longer true stays for a while with its end, so that a query can be continued as
/// of its begin.
final class IndexEntries {
  private let insert: any SQLStatement
  private let end: any SQLStatement
  private let delete: any SQLStatement
  private let selectOfZone: any SQLStatement
  private let selectSome: any SQLStatement
  private let selectEnded: any SQLStatement
  private let deleteRow: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    insert = try connection.prepare(
      """
      INSERT INTO index_entries (index_id, zone_id, key, name, since) VALUES (?1, ?2, ?3, ?4, ?5)
      """
    )
    end = try connection.prepare(
      """
      UPDATE index_entries SET until = ?5, ended = ?6
      WHERE index_id = ?1 AND zone_id = ?2 AND key = ?3 AND name = ?4 AND until IS NULL
      """
    )
    delete = try connection.prepare(
      """
      DELETE FROM index_entries
      WHERE index_id = ?1 AND zone_id = ?2 AND key = ?3 AND name = ?4 AND until IS NULL
      """
    )
    selectOfZone = try connection.prepare(
      """
      SELECT index_id, zone_id, key, name, since FROM index_entries
      WHERE index_id = ?1 AND zone_id = ?2 LIMIT ?3
      """
    )
    selectSome = try connection.prepare(
      """
      SELECT index_id, zone_id, key, name, since FROM index_entries WHERE index_id = ?1 LIMIT ?2
      """
    )
    selectEnded = try connection.prepare(
      """
      SELECT index_id, zone_id, key, name, since FROM index_entries
      WHERE ended IS NOT NULL AND ended < ?1 ORDER BY ended LIMIT ?2
      """
    )
    deleteRow = try connection.prepare(
      """
      DELETE FROM index_entries
      WHERE index_id = ?1 AND zone_id = ?2 AND key = ?3 AND name = ?4 AND since = ?5
      """
    )
  }

  /// Where a record stands in the indexes.
  struct Location {
    let zone: Int64
    let name: String
    /// The zone's number at the record's change.
    let sequence: Int64
  }

  /// Adds an entry that is true from the place's sequence on.
  func add(_ key: IndexKey, of location: Location, to index: DeclaredIndex) throws(SQLError) {
    bind(key, location, index, to: insert)
    insert.bind(location.sequence, at: 5)
    try insert.run()
  }

  /// An entry is no longer true from the place's sequence on.
  func end(
    _ key: IndexKey,
    of location: Location,
    in index: DeclaredIndex,
    at time: SteadyTime
  ) throws(SQLError) {
    bind(key, location, index, to: end)
    end.bind(location.sequence, at: 5)
    end.bind(time.milliseconds, at: 6)
    try end.run()
  }

  /// Removes the entry of a record that is deleted.
  func remove(_ key: IndexKey, of location: Location, from index: DeclaredIndex) throws(SQLError) {
    bind(key, location, index, to: delete)
    try delete.run()
  }

  /// Removes some entries of a zone.
  ///
  /// - Returns: How many.
  func removeSome(in zone: Int64, of index: DeclaredIndex, limit: Int) throws -> Int {
    selectOfZone.bind(index.number, at: 1)
    selectOfZone.bind(zone, at: 2)
    selectOfZone.bind(Int64(limit), at: 3)
    return try removeRows(of: selectOfZone)
  }

  /// Removes some entries of an index.
  ///
  /// - Returns: How many.
  func removeSome(of index: DeclaredIndex, limit: Int) throws -> Int {
    selectSome.bind(index.number, at: 1)
    selectSome.bind(Int64(limit), at: 2)
    return try removeRows(of: selectSome)
  }

  /// Removes some entries that ended before a time, oldest first.
  ///
  /// - Returns: How many.
  func removeEnded(before time: SteadyTime, limit: Int) throws -> Int {
    selectEnded.bind(time.milliseconds, at: 1)
    selectEnded.bind(Int64(limit), at: 2)
    return try removeRows(of: selectEnded)
  }

  /// Removes the rows that a statement finds, each by its whole key: SQLite looks up a list of keys by
  /// its first columns only, and then goes through the whole zone.
  private func removeRows(of rows: any SQLStatement) throws -> Int {
    var locations: [(index: Int64, key: [UInt8], location: Location)] = []
    try rows.forEachRow {
      let location = Location(zone: rows.int64(1), name: rows.string(3), sequence: rows.int64(4))
      locations.append((rows.int64(0), rows.bytes(2), location))
    }
    for (index, key, location) in locations {
      deleteRow.bind(index, at: 1)
      deleteRow.bind(location.zone, at: 2)
      deleteRow.bind(key, at: 3)
      deleteRow.bind(location.name, at: 4)
      deleteRow.bind(location.sequence, at: 5)
      try deleteRow.run()
    }
    return locations.count
  }

  private func bind(
    _ key: IndexKey,
    _ location: Location,
    _ index: DeclaredIndex,
    to statement: any SQLStatement
  ) {
    statement.bind(index.number, at: 1)
    statement.bind(location.zone, at: 2)
    statement.bind(key.bytes, at: 3)
    statement.bind(location.name, at: 4)
  }
}
