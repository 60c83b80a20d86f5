internal import TidingsAudit
internal import TidingsEngine
internal import TidingsFiles
internal import TidingsSQL
internal import TidingsSQLite

/// A data folder: the copy is made in a folder within, and the database gets its name when it is complete and on disk.
struct EmbeddedCopyTarget: CopyTarget {
  private let folder: DataFolder
  private var sqlite: SQLiteConnection?
  private(set) var unfinished: String?

  /// The log is moved into the database file when it has that many frames.
  private static let logFramesMax = 16 << 10

  var connection: any SQLConnection {
    guard let sqlite else { preconditionFailure("the copy was not begun") }
    return sqlite
  }

  /// Looks whether a folder may get a store.
  ///
  /// - Throws: `StartError` when it contains one; `SQLError`, `FileError`.
  init(in folder: DataFolder) throws {
    self.folder = folder
    try folder.refuseUnfinishedRestoration()
    for suffix in ["", "-wal", "-shm", "-journal"]
    where try Folder.status(folder.databasePath + suffix) != nil {
      throw StartError(
        "the data folder '\(folder.path)' contains a database already ('tidings.sqlite\(suffix)'): copy into another "
          + "folder, or move that file away"
      )
    }
    guard try Folder.status(databasePath) != nil, try Folder.status(markPath) != nil else {
      try refuseAuditLog()
      return
    }
    let mark = try File(path: markPath, .read)
    unfinished = String(decoding: try mark.read(at: 0, count: Self.markBytesMax), as: UTF8.self)
    sqlite = try SQLiteConnection(path: databasePath)
  }

  /// An audit log that continues another one would not be one chain.
  private func refuseAuditLog() throws {
    guard let name = try Folder.names(folder.path).filter(AuditKind.isFileName).min() else {
      return
    }
    throw StartError(
      "the data folder '\(folder.path)' contains an audit log already ('\(name)'): copy into another folder, or move "
        + "it away"
    )
  }

  private var databasePath: String { folder.copyPath + "/tidings.sqlite" }
  /// Contains the fingerprint of the store that is copied.
  private var markPath: String { folder.copyPath + "/source" }
  private static let markBytesMax = 1 << 10

  mutating func begin(fingerprint: String) throws {
    sqlite = nil
    try FolderTree.remove(folder.copyPath)
    try Folder.make(folder.copyPath)
    try Folder.synchronize(folder.path)
    let sqlite = try SQLiteConnection(path: databasePath)
    self.sqlite = sqlite
    try resume()
    // What migrations insert is in the rows that are copied, if it is still there.
    try sqlite.execute("BEGIN IMMEDIATE")
    for table in try sqlite.tables() where StoreCopy.isCopied(table) {
      try sqlite.execute("DELETE FROM \(table.name.quoted)")
    }
    try sqlite.execute("COMMIT")
    try write(mark: fingerprint)
  }

  func resume() throws { try connection.migrate(Migration.store) }

  func tables() throws -> [SQLTable] { try sqlite?.tables() ?? [] }

  /// They have the names of their checksums, and can be placed before the database is.
  func assets() throws -> any StoredAssets {
    StoredAssetFiles(folder: try AssetFolder(path: folder.assetsPath))
  }

  func auditLines() throws -> any StoredAuditLines {
    for name in try Folder.names(folder.copyPath).filter(AuditKind.isFileName) {
      try Folder.remove(folder.copyPath + "/" + name)
    }
    return AuditFolder(path: folder.copyPath)
  }

  func didCommit() throws {
    if let sqlite, sqlite.logFrames > Self.logFramesMax { try sqlite.moveWholeLog() }
  }

  func invalidate() throws { try write(mark: "") }

  private func write(mark: String) throws {
    try Folder.remove(markPath)
    let file = try File(path: markPath, .createNew)
    try file.write(Array(mark.utf8)[...], at: 0)
    try file.synchronize()
    try Folder.synchronize(folder.copyPath)
  }

  mutating func finish() throws {
    let label = try StoreLabel(connection)
    sqlite?.setMovesLogOnClose(true)
    sqlite = nil
    guard try Folder.status(databasePath + "-wal")?.size ?? 0 == 0 else {
      throw StartError("the log of the copied database could not be moved: repeat the command")
    }
    try File(path: databasePath, .read).synchronize()
    // An earlier attempt may have ended before the names of assets that it placed were on the disk.
    if Folder.isThere(folder.assetsPath) {
      try FolderTree.synchronizeFolders(folder.assetsPath)
    }
    for name in try Folder.names(folder.copyPath).filter(AuditKind.isFileName) {
      try Folder.rename(folder.copyPath + "/" + name, to: folder.path + "/" + name)
    }
    try noteState(label)
    try Folder.rename(databasePath, to: folder.databasePath)
    try Folder.synchronize(folder.path)
    try FolderTree.remove(folder.copyPath)
    try Folder.synchronize(folder.path)
  }

  /// Notes beside the store that it was stopped in order, and that there is no log.
  private func noteState(_ label: StoreLabel?) throws {
    try Folder.remove(folder.statePath)
    var state = StoreState(incarnation: label?.incarnation ?? [], run: label?.run ?? 0)
    state.isStopped = true
    var file = try StoreStateFile(folder.statePath)
    try file.write(state)
    try file.synchronize()
    try Folder.synchronize(folder.path)
  }
}

extension DataFolder {
  /// Where a copy of another store is made until it is complete.
  var copyPath: String { path + "/copying" }

  /// Refuses a folder into which a store was not copied to the end.
  ///
  /// - Throws: `StartError`.
  func refuseUnfinishedCopy() throws {
    guard Folder.isThere(copyPath), try Folder.status(databasePath) == nil else { return }
    throw StartError(
      "a copy into the data folder '\(path)' was interrupted: repeat rpcd copy-store, or remove '\(copyPath)'"
    )
  }
}
