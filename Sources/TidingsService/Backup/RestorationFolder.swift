internal import TidingsEngine
internal import TidingsFiles
internal import TidingsSQL
internal import TidingsSQLite

/// Where a restore writes until all is there: a folder in the data folder, which no server takes for a
/// store.
struct RestorationFolder {
  private let folder: DataFolder

  init(_ folder: DataFolder) { self.folder = folder }

  private var path: String { folder.restorationPath }
  /// Is there from the moment on when what was restored gets its names.
  private var placingPath: String { path + "/placing" }

  /// The database.
  var databasePath: String { path + "/tidings.sqlite" }
  /// The files of the assets.
  var assetsPath: String { path + "/assets" }

  /// Refuses a folder that holds data, removes what an interrupted restore left, and makes the folder.
  ///
  /// - Throws: `StartError`, `FileError`.
  func begin() throws {
    let isPlacing = try Folder.status(placingPath) != nil
    // An interrupted restore may have placed the assets already, but not the database.
    if isPlacing, try Folder.status(folder.databasePath) == nil {
      try FolderTree.remove(folder.assetsPath)
    }
    try refuseData()
    try FolderTree.remove(path)
    try Folder.make(path)
    try Folder.make(assetsPath)
    try Folder.synchronize(folder.path)
  }

  private func refuseData() throws {
    var found: [String] = []
    for suffix in ["", "-wal", "-shm", "-journal"] {
      let name = "tidings.sqlite" + suffix
      if try Folder.status("\(folder.path)/\(name)") != nil { found.append("'\(name)'") }
    }
    if try !Folder.names(folder.assetsPath).isEmpty { found.append("'assets'") }
    guard !found.isEmpty else { return }
    throw StartError(
      "the data folder '\(folder.path)' holds data already (\(found.joined(separator: ", "))): restore "
        + "into another folder, or move these away"
    )
  }

  /// Looks whether the database is whole.
  ///
  /// - Throws: `StartError` when it is not.
  func checkDatabase(progress: (String) -> Void) throws {
    progress("checking")
    let problems: [String]
    do {
      problems = try SQLiteConnection(path: databasePath)
        .structureProblems(max: 1, StructureInterruption())
    } catch let error as SQLError where error.kind == .damaged {
      problems = [error.message]
    }
    guard let problem = problems.first else { return }
    throw StartError("the database in the backup is damaged (\(problem)): use another backup")
  }

  /// Gives the store an incarnation and a secret of its own.
  ///
  /// - Returns: The incarnation.
  /// - Throws: `SQLError`.
  func renewIdentity() throws -> String {
    let connection = try SQLiteConnection(path: databasePath)
    let incarnation = try StoreIdentity.renew(connection)
    // The first start of another store, which nothing beside it knows yet.
    try StoreLabel.write(run: 0, connection)
    connection.setMovesLogOnClose(true)
    return incarnation
  }

  /// Gives everything its name, the database last; all of it is on disk before.
  ///
  /// - Throws: `StartError`, `FileError`.
  func finish() throws {
    guard try Folder.status(databasePath + "-wal")?.size ?? 0 == 0 else {
      throw StartError("the log of the restored database could not be moved: repeat rpcd restore")
    }
    for suffix in ["-wal", "-shm"] { try Folder.remove(databasePath + suffix) }
    try File(path: databasePath, .read).synchronize()
    try FolderTree.synchronizeFolders(assetsPath)
    try Folder.synchronize(path)
    try File(path: placingPath, .createNew).synchronize()
    try Folder.synchronize(path)
    try FolderTree.remove(folder.assetsPath)
    try Folder.rename(assetsPath, to: folder.assetsPath)
    try Folder.synchronize(folder.path)
    // What is known beside a database that is gone.
    try Folder.remove(folder.statePath)
    try Folder.rename(databasePath, to: folder.databasePath)
    try Folder.synchronize(folder.path)
    try FolderTree.remove(path)
    try Folder.synchronize(folder.path)
  }
}

extension DataFolder {
  /// Where a restore writes until it is complete.
  var restorationPath: String { path + "/restoring" }

  /// Refuses a folder whose restore was interrupted.
  ///
  /// - Throws: `StartError`.
  func refuseUnfinishedRestoration() throws {
    guard Folder.isThere(restorationPath), try Folder.status(databasePath) == nil else { return }
    throw StartError(
      "a restore into the data folder '\(path)' was interrupted: repeat rpcd restore, or remove "
        + "'\(restorationPath)'"
    )
  }
}
