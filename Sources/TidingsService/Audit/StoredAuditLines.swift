internal import TidingsAudit
internal import TidingsSQL

/// The lines of the audit log of a store that no server uses, to be copied from one store to another: as they are, with
/// what crashes left between them, so that their chain is the same.
protocol StoredAuditLines {
  /// Reads all lines of a kind, oldest first, with their ends.
  ///
  /// - Throws: `FileError`, `SQLError`, what `body` throws.
  func forEachLine(_ kind: AuditKind, _ body: ([UInt8]) throws -> Void) throws

  /// Writes lines of a kind where there are none.
  ///
  /// - Parameters:
  ///   - kind: Whose lines they are.
  ///   - read: Calls a closure with each line, with its end.
  /// - Throws: `StartError` if there are some; `FileError`, `SQLError`, what `read` throws.
  func write(
    _ kind: AuditKind,
    _ read: (_ write: ([UInt8]) throws -> Void) throws -> Void
  ) throws
}

extension StoredAuditLines {
  /// Copies all lines from another store.
  ///
  /// - Throws: As `write` and `forEachLine`.
  func copy(from other: any StoredAuditLines) throws {
    for kind in AuditKind.allCases { try write(kind) { try other.forEachLine(kind, $0) } }
  }
}

extension AuditFolder: StoredAuditLines {
  func forEachLine(_ kind: AuditKind, _ body: ([UInt8]) throws -> Void) throws {
    try AuditVerification(kind, folder: path).forEachLine { try body(Array($0)) }
  }

  func write(
    _ kind: AuditKind,
    _ read: (_ write: ([UInt8]) throws -> Void) throws -> Void
  ) throws {
    try forEachLine(kind) { _ in throw StartError.hasAuditLines(kind) }
    var file = try AuditFile(kind, folder: path)
    var lines: [UInt8] = []
    try read { line in
      lines += line
      guard lines.count >= Self.copiedBytes else { return }
      try file.append(bytes: lines)
      lines = []
    }
    if !lines.isEmpty { try file.append(bytes: lines) }
  }

  /// Lines that are written at once.
  private static let copiedBytes = 1 << 20
}

/// Lines in the tables of a PostgreSQL store.
struct StoredAuditRows: StoredAuditLines {
  private let connection: any SQLConnection
  private let table: AuditTable

  /// - Throws: `SQLError`.
  init(_ connection: any SQLConnection) throws(SQLError) {
    self.connection = connection
    table = try AuditTable(connection)
  }

  func forEachLine(_ kind: AuditKind, _ body: ([UInt8]) throws -> Void) throws {
    try table.forEachLine(kind) { line, _ in try body(line) }
  }

  func write(
    _ kind: AuditKind,
    _ read: (_ write: ([UInt8]) throws -> Void) throws -> Void
  ) throws {
    try connection.transaction {
      var tail = try table.lock(kind)
      guard tail.position == 0 else { throw StartError.hasAuditLines(kind) }
      // What a crash left at the end is no line, and nothing says yet what it was.
      var rest: [[UInt8]] = []
      try read { line in
        rest.append(line)
        guard AuditEntry(line: line, kind: kind) != nil else { return }
        for line in rest { try table.insertLine(line.dropLast(), kind, behind: &tail) }
        rest = []
        tail.head = ChainHead(number: ChainLink(of: line[...])?.number ?? 0, line: line[...])
      }
      try table.write(tail, kind)
    }
  }
}

extension StartError {
  fileprivate static func hasAuditLines(_ kind: AuditKind) -> Self {
    StartError("there is an audit log already ('\(kind.name)'): copy into an empty store")
  }
}
