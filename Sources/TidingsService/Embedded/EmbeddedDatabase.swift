internal import TidingsEngine
internal import TidingsSQL
internal import TidingsSQLite

/// The open database of a data folder.
struct EmbeddedDatabase: OpenDatabase {
  let readingAhead: (any SQLConnection)? = nil
  private let sqlite: SQLiteConnection
  private let folder: DataFolder

  var connection: any SQLConnection { sqlite }
  let assetContents: (any AssetContents)? = nil
  var auditStorage: any AuditStorage { AuditFolder(path: folder.path) }

  /// Opens the database, after a look for what was lost, and for damage.
  ///
  /// - Parameters:
  ///   - folder: Where it is, locked.
  ///   - isThorough: Read every page, whatever the size.
  /// - Throws: `StartError`, `SQLError`, `FileError`.
  init(in folder: DataFolder, isThorough: Bool) throws {
    self.folder = folder
    sqlite = try folder.openDatabase(isThorough: isThorough)
  }

  func makeStore(for server: StoreUser) throws -> any Store {
    try EmbeddedStore(sqlite, in: folder, for: server)
  }
}
