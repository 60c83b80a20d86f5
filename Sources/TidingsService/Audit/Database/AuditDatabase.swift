internal import TidingsAudit
internal import TidingsSQL

/// The audit log in the tables of a PostgreSQL store.
///
/// What calls do is added in their own transactions; what was refused, and what else happens outside of them, by the
/// log's thread on a connection of its own.
struct AuditDatabase: AuditStorage {
  /// Makes connections that write.
  let connections: @Sendable () -> any SQLConnection
  /// Makes connections that read.
  let readers: any StoreReaders

  func records() throws -> [any AuditRecords] {
    let connection = connections()
    let table = try AuditTable(connection)
    return try AuditKind.allCases.map { try AuditRows($0, in: table, on: connection) }
  }

  func checks() throws -> [AuditCheck] {
    let connection = try readers.connect(cacheBytes: 1 << 20)
    let table = try AuditTable(connection)
    return AuditKind.allCases.map { kind in
      AuditCheck(kind: kind) { kept in
        try connection.transaction {
          var check = ChainCheck(kept: kept + Self.heads(try table.tail(kind)))
          // They are numbered as they would be in one file.
          var first: Int64?
          try table.forEachLine(kind) { line, position in
            let begin = first ?? position
            first = begin
            check.add(
              line[...],
              file: "audit_lines of \(kind.name)",
              row: Int(position - begin) + 1
            )
          }
          check.finish()
          return check
        }
      }
    }
  }

  func table(on connection: any SQLConnection) throws(SQLError) -> AuditTable? {
    try AuditTable(connection)
  }

  private static func heads(_ tail: AuditTable.Tail) -> [ChainHead] {
    tail.head.number == 0 ? [] : [tail.head]
  }
}

/// The lines of one kind in the tables, as the log's thread uses them.
///
/// Unchecked: whoever makes them hands them to the log's thread and does not use them afterwards; all have one
/// connection, and are used by that thread alone.
struct AuditRows: AuditRecords, @unchecked Sendable {
  /// Entries of which it is unknown whether they were kept; the next ones begin with them.
  private struct Attempt {
    let added: AuditTable.Added
    /// Where the first of them is, if they were.
    let position: Int64
  }

  let kind: AuditKind
  private(set) var head: ChainHead
  let isUnchained: Bool
  private let table: AuditTable
  private let connection: any SQLConnection
  private var attempt: Attempt?

  /// - Throws: `SQLError`.
  init(_ kind: AuditKind, in table: AuditTable, on connection: any SQLConnection) throws {
    (self.kind, self.table, self.connection) = (kind, table, connection)
    let tail = try table.tail(kind)
    head = tail.head
    isUnchained = tail.position > 0 && tail.head.number == 0
  }

  mutating func append(_ entries: [AuditEntry]) throws -> [[UInt8]] {
    if let attempt {
      let isKept = try attempt.added.lines.first.map {
        try table.has($0.dropLast(), kind, at: attempt.position)
      }
      self.attempt = nil
      if isKept == true {
        head = attempt.added.head
        return attempt.added.lines
      }
    }
    var begun: Attempt?
    do {
      let added = try connection.transaction {
        let tail = try table.lock(kind)
        let added = try table.append(entries, kind, to: tail)
        begun = Attempt(added: added, position: tail.position + 1)
        return added
      }
      head = added.head
      return added.lines
    } catch let error as SQLError where error.kind == .uncertain {
      attempt = begun
      throw error
    }
  }

  func removeOldest() throws { try table.removeOldest(kind) }

  func newest(max: Int) throws -> [AuditEntry] { try table.newest(kind, max: max) }
}
