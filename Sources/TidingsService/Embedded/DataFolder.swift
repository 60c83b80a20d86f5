internal import TidingsEngine
internal import TidingsFiles
internal import TidingsSQL
internal import TidingsSQLite

/// The folder that holds a server's data, locked for one process.
final class DataFolder: Sendable {
  /// The folder.
  let path: String
  /// The database file.
  let databasePath: String
  /// The database's log.
  let logPath: String
  /// What is known of the store beside it.
  let statePath: String
  /// The folder of the assets' files.
  let assetsPath: String
  /// Where the server's key pair is, once the folder was initialized.
  let serverKeyPath: String
  /// Where its public part is, for those who connect.
  let serverPublicKeyPath: String
  /// Where the key ring of delivery targets is, once there is one.
  let deliveryKeyPath: String
  private let lock: FolderLock

  /// Creates the folder if needed, durably, and locks it.
  ///
  /// - Throws: `StartError` when it cannot be used, or another process uses it.
  init(path: String) throws(StartError) {
    do throws(FileError) {
      try Folder.make(path)
      lock = try FolderLock(path)
      // Also if it was there: an earlier start may have been cut short before it was on the disk.
      try Folder.synchronize(parentOf: path)
    } catch {
      throw Self.unusable(path, error)
    }
    self.path = path
    databasePath = path + "/tidings.sqlite"
    logPath = databasePath + "-wal"
    statePath = path + "/" + StoreStateFile.name
    assetsPath = path + "/assets"
    serverKeyPath = path + "/server.key"
    serverPublicKeyPath = path + "/server.pub"
    deliveryKeyPath = path + "/delivery.key"
  }

  private static func unusable(_ path: String, _ error: FileError) -> StartError {
    if error.isLocked {
      return StartError(
        "another rpcd uses the data folder '\(path)': stop it, or choose another folder with --data"
      )
    }
    let advice = error.isFull ? "make room on its disk" : "make it writable"
    return StartError(
      "cannot use the data folder '\(path)': \(error): \(advice), or choose another with --data"
    )
  }

  /// Opens the database, after a look for what was lost, and for damage.
  ///
  /// - Parameter isThorough: Read every page, whatever the size.
  /// - Returns: A connection to it.
  /// - Throws: `StartError` when something was lost, or it is damaged; `SQLError`, `FileError`.
  func openDatabase(isThorough: Bool) throws -> SQLiteConnection {
    try refuseUnfinishedRestoration()
    try refuseUnfinishedCopy()
    let files = try StoreFiles(in: self)
    if let loss = StoreLoss(files) { throw refusal(loss) }
    // Before anything is added to what a crash left in it, or moved into the database file.
    try renewLog()
    do {
      _ = try SQLiteConnection.addPageChecksums(to: databasePath)
      let connection = try SQLiteConnection(path: databasePath)
      try connection.check(
        thorough: isThorough,
        firstPageIsInLog: files.log?.hasFirstPage ?? false
      )
      if let loss = try loss(in: connection, files) { throw refusal(loss) }
      return connection
    } catch let error as SQLError where error.kind == .damaged {
      throw damaged(error)
    }
  }

  /// What the content of the database shows to be lost.
  ///
  /// - Throws: `SQLError`, `FileError`.
  func loss(in connection: SQLiteConnection, _ files: StoreFiles) throws -> StoreLoss? {
    let label = try StoreLabel(connection)
    var files = files
    if label == nil { try files.count(self) }
    return StoreLoss(files, label: label.map { ($0.incarnation, $0.run) })
  }

  private func refusal(_ loss: StoreLoss) -> StartError {
    StartError(
      "\(loss.description(self)). Nothing was changed. Put the right files back, or move the folder away "
        + "and restore a backup; to go on with what is there and lose the rest: "
        + "rpcd accept-loss --data '\(path)'"
    )
  }

  /// What to say when the store of the folder cannot be opened.
  func unusable(_ error: any Error) -> StartError {
    if let error = error as? SQLError, error.kind == .damaged { return damaged(error) }
    let isFull = (error as? SQLError)?.isFull ?? (error as? FileError)?.isFull ?? false
    let attempt = "cannot open the store of '\(path)'"
    guard isFull else { return StartError(attempt, error) }
    let bytes = (try? Folder.status(logPath)?.size) ?? 0
    return StartError(
      attempt
        + ", which needs room for a few pages, and for what is in its log, \(bytes) bytes at most; "
        + "nothing is lost",
      error
    )
  }

  /// What to say of a database that cannot be read.
  func damaged(_ error: SQLError) -> StartError {
    StartError(
      "the database '\(databasePath)' is damaged (\(error.message)). Nothing was changed. Restore a "
        + "backup, or save what can be read with: sqlite3 '\(databasePath)' .recover"
    )
  }
}
