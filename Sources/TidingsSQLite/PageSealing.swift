internal import TidingsFiles
public import TidingsSQL

extension SQLiteConnection {
  /// Adds checksums to the pages of a database of an earlier version; it is rewritten
  /// beside, and takes its place when it is whole.
  ///
  /// - Parameter path: The database file, which nothing else has open.
  /// - Returns: Whether it was rewritten.
  /// - Throws: `SQLError`; the database is as it was.
  public static func addPageChecksums(to path: String) throws(SQLError) -> Bool {
    let other = path + "-sealed"
    do {
      try Folder.remove(other)
      guard try Folder.status(path).map({ $0.size > 0 }) ?? false,
        try writeSealed(path, to: other)
      else { return false }
      try File(path: other, .write).synchronize()
      try Folder.rename(other, to: path)
      try Folder.remove(path + "-wal")
      try Folder.remove(path + "-shm")
      try Folder.synchronize(parentOf: path)
      return true
    } catch let error as FileError {
      throw SQLError(.storage, "\(error)")
    } catch let error as SQLError {
      throw error
    } catch {
      throw SQLError(.storage, "\(error)")
    }
  }

  private static func writeSealed(_ path: String, to other: String) throws(SQLError) -> Bool {
    let connection = try SQLiteConnection(path: path)
    guard try connection.pageFormat() == .unsealed else { return false }
    try connection.moveWholeLog()
    let copy = try connection.prepare("VACUUM INTO ?1")
    copy.bind(other, at: 1)
    try copy.run()
    return true
  }
}
