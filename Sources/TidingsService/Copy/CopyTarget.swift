internal import TidingsSQL

/// Where a copy of a store is made: a database that no server takes for a store before the copy is complete.
protocol CopyTarget {
  /// The database, once a copy was begun.
  var connection: any SQLConnection { get }
  /// The fingerprint of the store of which an interrupted copy is there; `nil`: there is none.
  var unfinished: String? { get }

  /// Makes the tables of this version, without rows, and notes of which store they are to be a copy.
  ///
  /// - Throws: `SQLError`, `MigrationError`, `FileError`.
  mutating func begin(fingerprint: String) throws
  /// Brings the tables of an interrupted copy up to date.
  ///
  /// - Throws: `SQLError`, `MigrationError`.
  func resume() throws
  /// The tables, by name.
  ///
  /// - Throws: `SQLError`.
  func tables() throws -> [SQLTable]
  /// Where the contents of assets are copied to.
  ///
  /// - Throws: `SQLError`, `StartError`.
  func assets() throws -> any StoredAssets
  /// Where the audit log is copied to; what an interrupted copy has copied of it is removed.
  ///
  /// - Throws: `SQLError`, `FileError`.
  func auditLines() throws -> any StoredAuditLines
  /// Rows were committed.
  ///
  /// - Throws: `SQLError`.
  func didCommit() throws
  /// The next copy does not continue this one, which is not as it should be.
  ///
  /// - Throws: `SQLError`, `FileError`.
  func invalidate() throws
  /// Makes it a store that a server uses, all at once.
  ///
  /// - Throws: `SQLError`, `FileError`, `StartError`.
  mutating func finish() throws
}
