public import TidingsSQL

extension SQLiteConnection {
  /// Adds checksums to the pages of a database of an earlier version; it is rewritten
  /// beside, and takes its place when it is whole.
  ///
  /// - Parameter path: The database file, which nothing else has open.
  /// - Returns: Whether it was rewritten.
  /// - Throws: `SQLError`; the database is as it was.
  public static func addPageChecksums(to path: String) throws(SQLError) -> Bool {
    try rewrite(path) { try $0.pageFormat() == .unsealed }
  }
}
