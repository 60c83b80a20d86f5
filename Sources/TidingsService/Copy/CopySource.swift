internal import TidingsEngine
internal import TidingsFiles
internal import TidingsPostgres
internal import TidingsSQL
internal import TidingsSQLite

/// A store that no server uses, of which a copy is made; nothing in it is changed.
struct CopySource {
  let connection: any SQLConnection
  /// Its tables, by name.
  let tables: [SQLTable]
  /// The contents of its assets; `nil`: they are in files that are not in its data folder.
  let assets: (any StoredAssets)?
  /// The lines of its audit log.
  let auditLines: any StoredAuditLines

  /// The store of a data folder.
  ///
  /// - Throws: `StartError` when there is no store, it cannot be used, or a server uses it; `SQLError`, `FileError`.
  init(in folder: DataFolder) throws {
    guard try Folder.status(folder.databasePath) != nil else {
      throw StartError(
        "the data folder '\(folder.path)' contains no store: --data names one that does"
      )
    }
    // A log without frames is left by an earlier look at a store that was stopped.
    let isWhole = try Folder.status(folder.logPath)?.size ?? 0 == 0
    let sqlite = try folder.openDatabase(isThorough: false)
    sqlite.setMovesLogOnClose(isWhole)
    connection = sqlite
    tables = try sqlite.tables()
    try Self.check(sqlite, tables, "the data folder '\(folder.path)'")
    assets = StoredAssetFiles(folder: try AssetFolder(path: folder.assetsPath))
    auditLines = AuditFolder(path: folder.path)
  }

  #if PostgreSQL
  /// The store in a PostgreSQL database.
  ///
  /// - Throws: `StartError` when there is no store, it cannot be used, or a server uses it; `SQLError`.
  init(in database: PostgresDatabase) throws {
    connection = database.postgres
    tables = try database.postgres.tables()
    try UnfinishedCopy.refuse(tables, database: "\(database.address)")
    try Self.check(connection, tables, "the database \(database.address)")
    let isInDatabase = try AssetPlacement.current(in: connection) == .database
    assets = isInDatabase ? try StoredAssetRows(connection) : nil
    auditLines = try StoredAuditRows(connection)
  }
  #endif

  /// Refuses what is no store of this version.
  private static func check(
    _ connection: any SQLConnection,
    _ tables: [SQLTable],
    _ name: String
  ) throws {
    guard tables.contains(where: { $0.name == "migrations" }), try StoreLabel(connection) != nil
    else { throw StartError("\(name) contains no store") }
    let newest = try connection.prepare("SELECT max(number) FROM migrations")
    defer { newest.reset() }
    let number = try newest.step() ? newest.int64(0) : 0
    let known = Migration.format
    guard number <= known else {
      throw StartError(
        "\(name) was written by a newer version (schema \(number); this program knows \(known)): copy it with that "
          + "version"
      )
    }
    guard number == known else {
      throw StartError(
        "\(name) was written by an older version (schema \(number); this program has \(known)): start rpcd on it "
          + "once, which converts it, stop it, and repeat the command"
      )
    }
  }
}
