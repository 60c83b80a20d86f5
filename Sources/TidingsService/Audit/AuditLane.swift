internal import TidingsAudit

/// The entries of one kind, on their way to its files: bounded, whatever the other kinds have.
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
  var head: ChainHead

  /// What the files have.
  init(_ file: AuditFile) {
    kind = file.kind
    head = file.head
    entries = file.newest(max: Self.newestMax)
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
    entries.append(entry)
    if entries.count > 2 * Self.newestMax { entries.removeFirst(entries.count - Self.newestMax) }
  }

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
