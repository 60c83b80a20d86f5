internal import TidingsAudit
internal import TidingsSQL

/// The lines of the audit log in the tables of a PostgreSQL store, on one connection.
///
/// Whoever adds lines locks the row of the last one: the lines of several connections are one chain.
final class AuditTable {
  /// The last line of a kind.
  struct Tail {
    /// Counts all lines, those included that have no place in the chain.
    var position: Int64 = 0
    var head = ChainHead.none
    var segment: Int64 = 0
    var segmentBytes: Int64 = 0
  }

  /// Lines of one kind that were added.
  struct Added: Sendable {
    let kind: AuditKind
    let entries: [AuditEntry]
    let lines: [[UInt8]]
    /// The last of them.
    let head: ChainHead
  }

  /// Rows of a page.
  private static let pageRowsMax: Int64 = 500

  private let segmentBytesMax: Int64
  private let lockTail: any SQLStatement
  private let selectTail: any SQLStatement
  private let insertTail: any SQLStatement
  private let updateTail: any SQLStatement
  private let insert: any SQLStatement
  private let selectLine: any SQLStatement
  private let selectNewest: any SQLStatement
  private let selectPage: any SQLStatement
  private let deleteOldest: any SQLStatement

  /// - Parameters:
  ///   - connection: The store's.
  ///   - segmentBytesMax: A segment of that size is closed, and the next one begun.
  /// - Throws: `SQLError`.
  init(
    _ connection: any SQLConnection,
    segmentBytesMax: UInt64 = AuditFile.bytesMax
  ) throws(SQLError) {
    self.segmentBytesMax = Int64(segmentBytesMax)
    let tail =
      "SELECT position, number, hash, segment, segment_bytes FROM audit_heads WHERE kind = ?1"
    lockTail = try connection.prepare(tail + " FOR UPDATE")
    selectTail = try connection.prepare(tail)
    insertTail = try connection.prepare(
      """
      INSERT INTO audit_heads (kind, position, number, hash, segment, segment_bytes)
      VALUES (?1, 0, 0, ?2, 0, 0) ON CONFLICT (kind) DO NOTHING
      """
    )
    updateTail = try connection.prepare(
      """
      UPDATE audit_heads SET position = ?2, number = ?3, hash = ?4, segment = ?5, segment_bytes = ?6
      WHERE kind = ?1
      """
    )
    insert = try connection.prepare(
      "INSERT INTO audit_lines (kind, position, segment, line) VALUES (?1, ?2, ?3, ?4)"
    )
    selectLine = try connection.prepare(
      "SELECT line FROM audit_lines WHERE kind = ?1 AND position = ?2"
    )
    selectNewest = try connection.prepare(
      "SELECT line FROM audit_lines WHERE kind = ?1 ORDER BY position DESC LIMIT ?2"
    )
    selectPage = try connection.prepare(
      """
      SELECT position, line FROM audit_lines WHERE kind = ?1 AND position > ?2 ORDER BY position LIMIT ?3
      """
    )
    deleteOldest = try connection.prepare(
      """
      DELETE FROM audit_lines WHERE kind = ?1
        AND segment < (SELECT segment - \(AuditKind.oldFilesMax) FROM audit_heads WHERE kind = ?1)
      """
    )
  }

  // MARK: Writing

  /// Adds entries of any kind, in the open transaction.
  ///
  /// - Returns: What was added, by kind.
  /// - Throws: `SQLError`.
  func append(_ entries: [AuditEntry]) throws(SQLError) -> [Added] {
    var added: [Added] = []
    guard !entries.isEmpty else { return added }
    // Always in the same order: they are locked.
    for kind in AuditKind.allCases {
      let ofKind = entries.filter { $0.kind == kind }
      if !ofKind.isEmpty { added.append(try append(ofKind, kind, to: try lock(kind))) }
    }
    return added
  }

  /// Adds entries of one kind behind its last line, which is locked.
  func append(
    _ entries: [AuditEntry],
    _ kind: AuditKind,
    to last: Tail
  ) throws(SQLError) -> Added {
    var tail = last
    var lines: [[UInt8]] = []
    for entry in entries {
      let link = ChainLink(after: tail.head)
      let line = entry.line(link)
      try insertLine(line[...].dropLast(), kind, behind: &tail)
      tail.head = ChainHead(number: link.number, line: line[...])
      lines.append(line)
    }
    try write(tail, kind)
    return Added(kind: kind, entries: entries, lines: lines, head: tail.head)
  }

  /// Adds a line as it is, without its end, behind the last one, which is locked; `write` follows.
  func insertLine(
    _ line: ArraySlice<UInt8>,
    _ kind: AuditKind,
    behind tail: inout Tail
  ) throws(SQLError) {
    let bytes = Int64(line.count + 1)
    if tail.segmentBytes > 0, tail.segmentBytes + bytes > segmentBytesMax {
      (tail.segment, tail.segmentBytes) = (tail.segment + 1, 0)
    }
    tail.position += 1
    tail.segmentBytes += bytes
    insert.bind(kind.name, at: 1)
    insert.bind(tail.position, at: 2)
    insert.bind(tail.segment, at: 3)
    insert.bind(Array(line), at: 4)
    try insert.run()
  }

  /// Locks the last line of a kind.
  func lock(_ kind: AuditKind) throws(SQLError) -> Tail {
    if let tail = try tail(kind, lockTail) { return tail }
    insertTail.bind(kind.name, at: 1)
    insertTail.bind(ChainHead.none.hash, at: 2)
    try insertTail.run()
    return try tail(kind, lockTail) ?? Tail()
  }

  /// Writes the last line of a kind, which is locked.
  func write(_ tail: Tail, _ kind: AuditKind) throws(SQLError) {
    updateTail.bind(kind.name, at: 1)
    updateTail.bind(tail.position, at: 2)
    updateTail.bind(Int64(clamping: tail.head.number), at: 3)
    updateTail.bind(tail.head.hash, at: 4)
    updateTail.bind(tail.segment, at: 5)
    updateTail.bind(tail.segmentBytes, at: 6)
    try updateTail.run()
  }

  /// Removes the segments of a kind that are too old.
  func removeOldest(_ kind: AuditKind) throws(SQLError) {
    deleteOldest.bind(kind.name, at: 1)
    try deleteOldest.run()
  }

  // MARK: Reading

  /// The last line of a kind.
  func tail(_ kind: AuditKind) throws(SQLError) -> Tail {
    try tail(kind, selectTail) ?? Tail()
  }

  /// Whether a line, without its end, is at a position.
  func has(
    _ line: ArraySlice<UInt8>,
    _ kind: AuditKind,
    at position: Int64
  ) throws(SQLError) -> Bool {
    selectLine.bind(kind.name, at: 1)
    selectLine.bind(position, at: 2)
    defer { selectLine.reset() }
    return try selectLine.step() && selectLine.bytes(0)[...] == line
  }

  /// The newest entries of a kind, oldest first; unreadable lines are skipped.
  func newest(_ kind: AuditKind, max: Int) throws -> [AuditEntry] {
    var entries: [AuditEntry] = []
    selectNewest.bind(kind.name, at: 1)
    selectNewest.bind(Int64(max), at: 2)
    try selectNewest.forEachRow {
      if let entry = AuditEntry(line: selectNewest.bytes(0), kind: kind) { entries.append(entry) }
    }
    return entries.reversed()
  }

  /// Reads all lines of a kind, oldest first, with their ends.
  func forEachLine(
    _ kind: AuditKind,
    _ body: (_ line: [UInt8], _ position: Int64) throws -> Void
  ) throws {
    var last: Int64 = 0
    while true {
      var page: [(position: Int64, line: [UInt8])] = []
      selectPage.bind(kind.name, at: 1)
      selectPage.bind(last, at: 2)
      selectPage.bind(Self.pageRowsMax, at: 3)
      try selectPage.forEachRow {
        page.append((selectPage.int64(0), selectPage.bytes(1) + [UInt8(ascii: "\n")]))
      }
      for row in page { try body(row.line, row.position) }
      guard let end = page.last else { return }
      last = end.position
    }
  }

  private func tail(_ kind: AuditKind, _ select: any SQLStatement) throws(SQLError) -> Tail? {
    select.bind(kind.name, at: 1)
    defer { select.reset() }
    guard try select.step() else { return nil }
    return Tail(
      position: select.int64(0),
      head: ChainHead(number: UInt64(clamping: select.int64(1)), hash: select.bytes(2)),
      segment: select.int64(3),
      segmentBytes: select.int64(4)
    )
  }
}
