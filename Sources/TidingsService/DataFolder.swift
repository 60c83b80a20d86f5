internal import TidingsSQL
internal import TidingsSQLite

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The folder that holds a server's data, locked for one process.
final class DataFolder: Sendable {
  /// The folder.
  let path: String
  /// The database file.
  let databasePath: String
  /// The folder of the assets' files.
  let assetsPath: String
  /// Where the server's key pair is, once the folder was initialized.
  let serverKeyPath: String
  /// Where its public part is, for those who connect.
  let serverPublicKeyPath: String
  private let lock: CInt

  /// Creates the folder if needed, and locks it.
  ///
  /// - Throws: `StartError` when it cannot be used, or another process uses it.
  init(path: String) throws(StartError) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw StartError(
        "cannot create the data folder '\(path)': \(String(cString: strerror(errno))): choose "
          + "another with --data"
      )
    }
    self.path = path
    lock = try Self.lock(path)
    databasePath = path + "/tidings.sqlite"
    assetsPath = path + "/assets"
    serverKeyPath = path + "/server.key"
    serverPublicKeyPath = path + "/server.pub"
  }

  private static func lock(_ path: String) throws(StartError) -> CInt {
    let file = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw StartError(
        "cannot open '\(path)/lock': \(String(cString: strerror(errno))): the data folder must be "
          + "writable"
      )
    }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      throw StartError(
        "another rpcd uses the data folder '\(path)': stop it, or choose another folder with --data"
      )
    }
    return file
  }

  deinit { close(lock) }

  /// Opens the database, after a look for damage.
  ///
  /// - Parameter isThorough: Read every page, whatever the size.
  /// - Returns: A connection to it.
  /// - Throws: `StartError` when it is damaged; `SQLError`.
  func openDatabase(isThorough: Bool) throws -> SQLiteConnection {
    do {
      try refuseEmptyFile()
      let connection = try SQLiteConnection(path: databasePath)
      try connection.check(thorough: isThorough)
      return connection
    } catch let error as SQLError where error.kind == .damaged {
      throw damaged(error)
    }
  }

  /// What to say of a database that cannot be read.
  func damaged(_ error: SQLError) -> StartError {
    StartError(
      "the database '\(databasePath)' is damaged (\(error.message)). Nothing was changed. Restore a "
        + "backup, or save what can be read with: sqlite3 '\(databasePath)' .recover"
    )
  }

  /// SQLite takes an empty file for a new database; beside a log it is one that lost its content.
  private func refuseEmptyFile() throws(SQLError) {
    func bytes(_ path: String) -> Int? {
      var status = stat()
      return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
    guard bytes(databasePath) == 0, bytes(databasePath + "-wal") ?? 0 > 0 else { return }
    throw SQLError(.damaged, "the file is empty, and its log is not")
  }
}
