internal import TidingsSQL

/// Where a PostgreSQL store has the content of its assets, which is written in it: a server that looked for it elsewhere
/// would miss all of it.
enum AssetPlacement: Int64 {
  /// In the table `asset_chunks`.
  case database = 1
  /// In files of a folder.
  case files = 2

  /// Writes down where contents are, if that may be decided: there is no asset yet.
  ///
  /// - Parameter connection: The store, no transaction open.
  /// - Throws: `StartError` if assets are elsewhere; `SQLError`.
  func establish(in connection: any SQLConnection) throws {
    try connection.transaction {
      let placement = try Self.current(in: connection)
      if placement == self { return }
      guard try !Self.hasAssets(connection) else {
        // Without a note they are from before there was one: then they were in files.
        if placement == nil, self == .files { return try write(to: connection) }
        throw refusal
      }
      try connection.execute("DELETE FROM asset_chunks; DELETE FROM asset_contents")
      try write(to: connection)
    }
  }

  /// Writes down where contents are.
  func write(to connection: any SQLConnection) throws(SQLError) {
    let insert = try connection.prepare(
      """
      INSERT INTO asset_storage (id, kind) VALUES (1, ?1)
      ON CONFLICT (id) DO UPDATE SET kind = excluded.kind
      """
    )
    insert.bind(rawValue, at: 1)
    try insert.run()
  }

  /// Where contents are; `nil`: it is not written down.
  static func current(in connection: any SQLConnection) throws(SQLError) -> Self? {
    let select = try connection.prepare("SELECT kind FROM asset_storage WHERE id = 1")
    defer { select.reset() }
    return try select.step() ? Self(rawValue: select.int64(0)) : nil
  }

  private static func hasAssets(_ connection: any SQLConnection) throws(SQLError) -> Bool {
    let select = try connection.prepare("SELECT 1 FROM assets LIMIT 1")
    defer { select.reset() }
    return try select.step()
  }

  private var refusal: StartError {
    switch self {
    case .database:
      StartError(
        "the assets of this database are files: name their folder with --assets FOLDER; before there was that "
          + "option, they were in 'assets' in the data folder"
      )
    case .files:
      StartError(
        "the assets of this database are in the database: start rpcd without --assets, which can only be "
          + "chosen as long as there are no assets"
      )
    }
  }
}
