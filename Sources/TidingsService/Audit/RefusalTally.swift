internal import TidingsModel

/// Refused actions of the last minute, those that are alike counted together: a flood of them takes a
/// few lines a minute.
///
/// A value without clock or thread.
struct RefusalTally {
  /// How long entries that are alike are counted together.
  static let period = Duration.seconds(60)
  /// Most kinds of entries at a time; what comes besides is counted by its action alone.
  static let kindsMax = 48
  /// Most actions that are counted so.
  static let actionsMax = 16

  private var open: [AuditEntry: AuditEntry] = [:]
  private var others: [String: AuditEntry] = [:]
  /// When the first of them is due.
  private(set) var due: ContinuousClock.Instant?

  /// Nothing is counted.
  var isEmpty: Bool { open.isEmpty && others.isEmpty }

  /// The entries that are still counted, oldest first.
  var entries: [AuditEntry] {
    (Array(open.values) + others.values).sorted { $0.time < $1.time }
  }

  /// Counts an entry that came at some time.
  mutating func add(_ entry: AuditEntry, at now: ContinuousClock.Instant) {
    let kind = entry.kind
    if open[kind] != nil {
      open[kind]?.count += entry.count
    } else if open.count < Self.kindsMax {
      open[kind] = entry
    } else {
      countAmongOthers(entry)
    }
    if due == nil { due = now.advanced(by: Self.period) }
  }

  /// Takes what was counted, if its minute is over.
  ///
  /// - Returns: The entries, oldest first.
  mutating func takeDue(at now: ContinuousClock.Instant) -> [AuditEntry] {
    guard let due, due <= now else { return [] }
    return takeAll()
  }

  /// Takes what was counted.
  mutating func takeAll() -> [AuditEntry] {
    defer { self = Self() }
    return entries
  }

  private mutating func countAmongOthers(_ entry: AuditEntry) {
    let isKnown = others[entry.action] != nil || others.count < Self.actionsMax
    let action = isKnown ? entry.action : "others"
    guard others[action] == nil else {
      others[action]?.count += entry.count
      return
    }
    others[action] = AuditEntry(
      action,
      isRefused: true,
      detail: "of many more callers or for other reasons within the minute",
      time: entry.time
    )
    others[action]?.count = entry.count
  }
}
