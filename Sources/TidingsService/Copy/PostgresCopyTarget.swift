#if PostgreSQL
internal import TidingsEngine
internal import TidingsPostgres
internal import TidingsSQL

/// A PostgreSQL database: servers refuse it as long as it is marked.
struct PostgresCopyTarget: CopyTarget {
  private let postgres: PostgresConnection
  private(set) var unfinished: String?

  var connection: any SQLConnection { postgres }

  /// Looks whether a database may get a store.
  ///
  /// - Throws: `StartError` when it contains one; `SQLError`.
  init(in database: PostgresDatabase) throws {
    postgres = database.postgres
    let tables = try postgres.tables()
    unfinished = try UnfinishedCopy.fingerprint(in: postgres, tables)
    guard unfinished == nil else { return }
    for table in tables where StoreCopy.isCopied(table) {
      let row = try postgres.prepare("SELECT 1 FROM \(table.name.quoted) LIMIT 1")
      defer { row.reset() }
      guard try row.step() else { continue }
      throw StartError(
        "the database \(database.address) is not empty: its table '\(table.name)' has rows; copy into an empty "
          + "database"
      )
    }
  }

  func begin(fingerprint: String) throws {
    try resume()
    // What migrations insert is in the rows that are copied, if it is still there.
    let names = try tables().map(\.name).filter { !StoreCopy.ownTables.contains($0) }
    try postgres.execute("BEGIN")
    do {
      try postgres.execute("TRUNCATE \(names.map(\.quoted).joined(separator: ", "))")
      try UnfinishedCopy.mark(postgres, fingerprint: fingerprint)
      try postgres.execute("COMMIT")
    } catch {
      postgres.abandon()
      throw error
    }
  }

  func resume() throws { try postgres.migrate(Migration.store) }

  func tables() throws -> [SQLTable] { try postgres.tables() }

  func assets() throws -> any StoredAssets {
    try AssetPlacement.database.write(to: postgres)
    return try StoredAssetRows(postgres)
  }

  func auditLines() throws -> any StoredAuditLines {
    try postgres.execute("TRUNCATE audit_lines, audit_heads")
    return try StoredAuditRows(postgres)
  }

  func didCommit() {}

  func invalidate() throws { try UnfinishedCopy.mark(postgres, fingerprint: "") }

  func finish() throws {
    try postgres.advanceIdentities()
    try postgres.execute("BEGIN; DROP TABLE \(UnfinishedCopy.table); COMMIT")
  }
}
#endif
