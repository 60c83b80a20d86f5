internal import TidingsFiles
public import TidingsSQL

extension SQLiteConnection {
  /// Rewrites a database without its free pages, in the newest format of pages: beside the old file, and in its
  /// stead when it is whole and on the disk.
  ///
  /// - Parameter path: The database file, which nothing else has open and whose log was moved and removed.
  /// - Throws: `SQLError`; the database is as it was.
  public static func compact(_ path: String) throws(SQLError) {
    _ = try rewrite(path) { _ in true }
  }

  /// Rewrites a database if that is needed.
  ///
  /// - Parameters:
  ///   - path: The database file.
  ///   - isNeeded: Whether the open database is to be rewritten.
  /// - Returns: Whether it was.
  /// - Throws: `SQLError`; the database is as it was.
  static func rewrite(
    _ path: String,
    if isNeeded: (SQLiteConnection) throws -> Bool
  ) throws(SQLError) -> Bool {
    let other = path + "-sealed"
    do {
      try Folder.remove(other)
      guard try Folder.status(path).map({ $0.size > 0 }) ?? false,
        try copy(path, to: other, if: isNeeded)
      else { return false }
      try File(path: other, .write).synchronize()
      try Folder.rename(other, to: path)
      try Folder.remove(path + "-wal")
      try Folder.remove(path + "-shm")
      try Folder.synchronize(parentOf: path)
      return true
    } catch let error as FileError {
      throw SQLError(error)
    } catch let error as SQLError {
      throw error
    } catch {
      throw SQLError(.storage, "\(error)")
    }
  }

  private static func copy(
    _ path: String,
    to other: String,
    if isNeeded: (SQLiteConnection) throws -> Bool
  ) throws -> Bool {
    let connection = try SQLiteConnection(path: path)
    guard try isNeeded(connection) else { return false }
    try connection.moveWholeLog()
    // Of the copy: the database itself keeps its format, and nothing is written into its log.
    if try connection.number("PRAGMA auto_vacuum") == 0 {
      try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    }
    let copy = try connection.prepare("VACUUM INTO ?1")
    copy.bind(other, at: 1)
    try copy.run()
    return true
  }
}
