internal import TidingsAudit
internal import TidingsFiles
internal import TidingsSQL

/// Where the lines of the audit log are kept: in files of a folder (`AuditFolder`), or in the database
/// (`AuditDatabase`).
protocol AuditStorage: Sendable {
  /// The lines of each kind, for the log's thread.
  ///
  /// - Throws: `FileError`, `SQLError`.
  func records() throws -> [any AuditRecords]

  /// Checks of the lines of each kind as they are now, to be made later.
  ///
  /// - Throws: `FileError`, `SQLError`.
  func checks() throws -> [AuditCheck]

  /// What adds entries in the transactions of the store.
  ///
  /// - Parameter connection: The one that writes.
  /// - Returns: The tables; `nil`: entries are added after its commits.
  /// - Throws: `SQLError`.
  func table(on connection: any SQLConnection) throws(SQLError) -> AuditTable?
}

/// The lines of one kind.
protocol AuditRecords: Sendable {
  /// Whose entries they have.
  var kind: AuditKind { get }
  /// The last line that this process knows of; `none`: there is none with a place in the chain.
  var head: ChainHead { get }
  /// There are lines from before there was a chain, and none behind them.
  var isUnchained: Bool { get }

  /// Adds entries, and waits until they are durable.
  ///
  /// - Returns: The lines that were written: those of all entries, or of the first, and the next call is to begin with
  ///   the others.
  /// - Throws: `FileError`: the next call tries again, without these entries; `SQLError` that passes: the next call is to
  ///   begin with these entries.
  mutating func append(_ entries: [AuditEntry]) throws -> [[UInt8]]

  /// Removes the oldest lines, if there are too many.
  ///
  /// - Throws: `SQLError`.
  mutating func removeOldest() throws

  /// The newest entries, oldest first; unreadable lines are skipped.
  ///
  /// - Throws: `SQLError`.
  func newest(max: Int) throws -> [AuditEntry]
}

/// A check of the lines of one kind.
struct AuditCheck {
  /// Whose lines they are.
  let kind: AuditKind
  /// Reads them; heads that were kept must be among them.
  let run: (_ kept: [ChainHead]) throws -> ChainCheck
}

/// The audit log in files of a folder.
struct AuditFolder: AuditStorage {
  let path: String

  func records() throws -> [any AuditRecords] {
    try AuditKind.allCases.map { try AuditFile($0, folder: path) }
  }

  func checks() throws -> [AuditCheck] {
    try AuditKind.allCases.map { kind in
      let files = try AuditVerification(kind, folder: path)
      return AuditCheck(kind: kind) { try files.check(kept: $0) }
    }
  }

  func table(on connection: any SQLConnection) -> AuditTable? { nil }
}
