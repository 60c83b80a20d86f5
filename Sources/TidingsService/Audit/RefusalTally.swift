internal import TidingsModel

/// Refused actions of the last minute, those that are alike counted together: a flood of them takes a
/// few lines a minute.
///
/// Each action has lines of its own, and in it each source (a user, else a network): neither a flood of
/// another action nor one from another source takes them.
///
/// A value without clock or thread.
struct RefusalTally {
  /// How long entries that are alike are counted together.
  static let period = Duration.seconds(60)
  /// Most entries of a source and an action; what else it does is counted in one more.
  static let entriesPerSourceMax = 3
  /// Most sources of an action that are distinguished; others are counted by action only.
  static let sourcesPerActionMax = 32
  /// Most actions that are distinguished: more than there are.
  static let actionsMax = 24
  /// Most lines in a minute.
  static let entriesMax = (actionsMax + 1) * (sourcesPerActionMax * (entriesPerSourceMax + 1) + 1)

  /// What a source was refused, in one action.
  fileprivate struct Source {
    var open: [AuditEntry: AuditEntry] = [:]
    var others: AuditEntry?
  }

  fileprivate struct Action {
    var sources: [[UInt8]: Source] = [:]
    var others: AuditEntry?

    var entries: [AuditEntry] {
      sources.values.flatMap { Array($0.open.values) + ($0.others.map { [$0] } ?? []) }
        + (others.map { [$0] } ?? [])
    }
  }

  private var actions: [String: Action] = [:]
  /// When the first of them is due.
  private(set) var due: ContinuousClock.Instant?

  /// Nothing is counted.
  var isEmpty: Bool { actions.isEmpty }

  /// The entries that are still counted, oldest first.
  var entries: [AuditEntry] {
    actions.values.flatMap(\.entries).sorted { $0.time < $1.time }
  }

  /// Counts an entry that came at some time.
  mutating func add(_ entry: AuditEntry, at now: ContinuousClock.Instant) {
    let isKnown = actions[entry.action] != nil || actions.count < Self.actionsMax
    var entry = entry
    if !isKnown { entry.action = "others" }
    actions[entry.action, default: Action()].add(entry)
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
}

extension RefusalTally.Action {
  fileprivate mutating func add(_ entry: AuditEntry) {
    let source = entry.source
    guard sources[source] != nil || sources.count < RefusalTally.sourcesPerActionMax else {
      return Self.count(entry, in: &others) {
        AuditEntry(
          entry.action,
          isRefused: true,
          detail: "of many more callers within the minute",
          time: entry.time
        )
      }
    }
    sources[source, default: .init()].add(entry)
  }

  fileprivate static func count(
    _ entry: AuditEntry,
    in others: inout AuditEntry?,
    _ makeFirst: () -> AuditEntry
  ) {
    guard others == nil else {
      others?.count += entry.count
      return
    }
    others = makeFirst()
    others?.count = entry.count
  }
}

extension RefusalTally.Source {
  fileprivate mutating func add(_ entry: AuditEntry) {
    let alike = entry.withoutTime
    if open[alike] != nil {
      open[alike]?.count += entry.count
    } else if open.count < RefusalTally.entriesPerSourceMax {
      open[alike] = entry
    } else {
      RefusalTally.Action.count(entry, in: &others) {
        AuditEntry(
          entry.action,
          user: entry.user,
          address: entry.address,
          isRefused: true,
          detail: "with other keys or for other reasons within the minute",
          time: entry.time
        )
      }
    }
  }
}
