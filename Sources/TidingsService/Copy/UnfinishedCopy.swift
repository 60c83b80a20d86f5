internal import TidingsSQL

/// The mark of a PostgreSQL database into which a store is being copied: a table, which the last transaction of the copy
/// removes.
///
/// It contains the fingerprint of the store that is copied: a copy is resumed only if that store was not used since.
enum UnfinishedCopy {
  static let table = "unfinished_copy"

  /// Refuses a database whose copy was interrupted.
  ///
  /// - Throws: `StartError`.
  static func refuse(_ tables: [SQLTable], database: String) throws(StartError) {
    guard tables.contains(where: { $0.name == table }) else { return }
    throw StartError(
      "a copy into the database \(database) was interrupted: repeat rpcd copy-store, or use another database"
    )
  }

  /// The fingerprint of the store that was being copied; `nil`: there is no mark.
  ///
  /// - Throws: `SQLError`.
  static func fingerprint(
    in connection: any SQLConnection,
    _ tables: [SQLTable]
  ) throws -> String? {
    guard tables.contains(where: { $0.name == table }) else { return nil }
    let select = try connection.prepare("SELECT source FROM \(table) WHERE id = 1")
    defer { select.reset() }
    return try select.step() ? select.string(0) : ""
  }

  /// Marks a database.
  ///
  /// - Throws: `SQLError`.
  static func mark(_ connection: any SQLConnection, fingerprint: String) throws {
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \(table) (id BIGINT PRIMARY KEY, source TEXT COLLATE \"C\" NOT NULL)"
    )
    let upsert = try connection.prepare(
      """
      INSERT INTO \(table) (id, source) VALUES (1, ?1)
      ON CONFLICT (id) DO UPDATE SET source = excluded.source
      """
    )
    upsert.bind(fingerprint, at: 1)
    try upsert.run()
  }
}
