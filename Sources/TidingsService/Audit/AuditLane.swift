internal import TidingsAudit

/// The entries of one kind, on their way to its lines: bounded, whatever the other kinds have.
///
/// A value without clock or thread.
struct AuditLane {
  /// Entries that wait to be written; more are counted and lost, which the log says.
  static let pendingMax = 4_096
  /// Newest entries that are in memory.
  static let newestMax = 1_000

  private var pending: [AuditEntry] = []
  private var lostCount: UInt64 = 0
  private let kind: AuditKind
  /// What was written or is about to be, oldest first.
  private var entries: [AuditEntry]
  /// The last line that was written.
  private(set) var head: ChainHead

  /// What is kept.
  ///
  /// - Throws: `SQLError`.
  init(_ records: any AuditRecords) throws {
    kind = records.kind
    head = records.head
    entries = try records.newest(max: Self.newestMax)
  }

  /// The newest entries, oldest first.
  var newest: ArraySlice<AuditEntry> { entries.suffix(Self.newestMax) }

  /// Adds an entry.
  mutating func append(_ entry: AuditEntry) {
    guard pending.count < Self.pendingMax else {
      lostCount += 1
      return
    }
    pending.append(entry)
    show(entry)
  }

  /// Entries were written by others of this process.
  mutating func added(_ entries: [AuditEntry], head: ChainHead) {
    for entry in entries { show(entry) }
    wrote(upTo: head)
  }

  /// The lines up to this one were written.
  mutating func wrote(upTo head: ChainHead) {
    if head.number > self.head.number { self.head = head }
  }

  private mutating func show(_ entry: AuditEntry) {
    entries.append(entry)
    if entries.count > 2 * Self.newestMax { entries.removeFirst(entries.count - Self.newestMax) }
  }

  /// Entries could not be written now: they come first the next time.
  mutating func putBack(_ entries: ArraySlice<AuditEntry>) { pending = entries + pending }

  /// Takes what is to be written.
  mutating func take() -> [AuditEntry] {
    defer { (pending, lostCount) = ([], 0) }
    guard lostCount > 0 else { return pending }
    var loss = AuditEntry("audit", isRefused: true, detail: "\(lostCount) entries were lost")
    loss.kind = kind
    loss.count = lostCount
    return pending + [loss]
  }

  /// Entries could not be written.
  mutating func lost(_ entries: [AuditEntry]) {
    for entry in entries { lostCount += entry.action == "audit" ? entry.count : 1 }
  }
}
