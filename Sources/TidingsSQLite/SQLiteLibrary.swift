internal import CSQLite

/// The SQLite that is loaded.
public enum SQLiteLibrary {
  /// As it names itself, for example `3.40.1`.
  public static var version: String { String(cString: sqlite3_libversion()) }
}
