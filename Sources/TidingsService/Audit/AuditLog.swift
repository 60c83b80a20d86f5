internal import Synchronization
internal import TidingsAudit
internal import TidingsLogging
internal import TidingsModel
internal import TidingsSQL
internal import TidingsThreads

/// Who administered what, and who was refused what: lines of JSON, each tied to the line before it, in the data folder
/// or the database.
///
/// Any thread adds entries and waits for nothing: a thread of the log's own writes them. Administrative
/// actions are written at once, refused ones within a minute, those alike counted together. What is
/// refused has lines of its own, so that no flood displaces what was done.
final class AuditLog: Sendable {
  /// Most entries that are returned.
  static let entriesMax = AuditLane.newestMax

  private struct State {
    var lanes: [AuditKind: AuditLane]
    var tally = RefusalTally()
    /// Lines that others have written, to be copied.
    var copies: [AuditTable.Added] = []
    /// Those that were too many.
    var lostCopies = 0
    var isStopping = false

    mutating func append(_ entry: AuditEntry) { lanes[entry.kind]?.append(entry) }
  }

  /// How soon what could not be written is tried again.
  private static let retryPause = Duration.seconds(1)
  /// Most batches of others' lines that wait to be copied.
  private static let copiesMax = AuditLane.pendingMax

  private let storage: any AuditStorage
  private let state: Mutex<State>
  /// Held while lines are written or files renamed, and while they are opened to be verified.
  private let writing = Mutex(())
  private let wakeUp = Semaphore()
  private let stopped = Semaphore()
  private let logger: Logger

  /// The log of a store; starts its thread.
  ///
  /// - Parameters:
  ///   - storage: Where its lines are.
  ///   - syslogPath: The socket that takes copies of its lines.
  ///   - logger: Logs what cannot be written.
  /// - Throws: `SQLError`.
  init(_ storage: any AuditStorage, syslogPath: String? = nil, logger: Logger) throws {
    self.storage = storage
    self.logger = logger
    let records = try storage.records()
    state = Mutex(
      State(
        lanes: Dictionary(
          uniqueKeysWithValues: try records.map { ($0.kind, try AuditLane($0)) }
        )
      )
    )
    // The chain of a log that is older than it begins at once, so that its lines cannot be taken for such.
    for lines in records where lines.isUnchained {
      var entry = AuditEntry("audit", isRefused: false, detail: "from here on lines are chained")
      entry.kind = lines.kind
      state.withLock { $0.append(entry) }
      wakeUp.signal()
    }
    startThread { [self] in
      run(records, syslogPath)
      stopped.signal()
    }
  }

  /// Adds an entry, to be written at once.
  func add(_ entry: AuditEntry) {
    state.withLock { $0.append(entry) }
    wakeUp.signal()
  }

  /// Lines were added in a transaction of the store, which is durable.
  func added(_ all: [AuditTable.Added]) {
    state.withLock { state in
      for added in all {
        state.lanes[added.kind]?.added(added.entries, head: added.head)
        if state.copies.count < Self.copiesMax {
          state.copies.append(added)
        } else {
          state.lostCopies += added.lines.count
        }
      }
    }
    wakeUp.signal()
  }

  /// Adds a refused action: alike ones within a minute are counted together.
  func addRefusal(_ entry: AuditEntry) {
    let isFirst = state.withLock { state in
      let isFirst = state.tally.isEmpty
      state.tally.add(entry, at: .now)
      return isFirst
    }
    if isFirst { wakeUp.signal() }
  }

  /// The newest entries, oldest first.
  ///
  /// - Parameters:
  ///   - limit: Most of them.
  ///   - user: Only those of this user; empty: of all.
  ///   - isRefused: Only those of refused actions, or of those that were done; `nil`: both.
  /// - Returns: The entries, those included that are still counted.
  func newest(limit: Int, user: String, isRefused: Bool? = nil) -> [AuditEntry] {
    let (kept, counted) = state.withLock { state in
      (AuditKind.allCases.flatMap { Array(state.lanes[$0]?.newest ?? []) }, state.tally.entries)
    }
    return (kept + counted)
      .filter { (user.isEmpty || $0.user == user) && (isRefused ?? $0.isRefused) == $0.isRefused }
      .sorted { $0.time < $1.time }
      .suffix(limit)
  }

  /// The last lines that were written.
  var heads: [(kind: AuditKind, head: ChainHead)] {
    state.withLock { state in AuditKind.allCases.map { ($0, state.lanes[$0]?.head ?? .none) } }
  }

  /// Checks all lines, as they are now: those that this process wrote last must be there.
  ///
  /// - Throws: `FileError`, `SQLError`.
  func verify() throws -> [(kind: AuditKind, check: ChainCheck)] {
    let heads = heads
    let checks = try writing.withLock { _ in try storage.checks() }
    return try zip(checks, heads).map { check, last in
      (check.kind, try check.run(last.head.number == 0 ? [] : [last.head]))
    }
  }

  /// Writes what is left, and ends the thread.
  func stop() {
    state.withLock { $0.isStopping = true }
    wakeUp.signal()
    stopped.wait()
  }

  // MARK: The thread

  private func run(_ records: [any AuditRecords], _ syslogPath: String?) {
    var records = records
    var copies = AuditCopies(syslogPath, logger)
    var retryAt: ContinuousClock.Instant?
    while true {
      wait(until: retryAt)
      let (batches, added, isStopping) = takePending(records, &copies)
      for lines in added { copies.send(lines.lines, lines.kind) }
      retryAt = nil
      for (index, entries) in batches.enumerated() {
        let kind = records[index].kind
        var hasGrown = added.contains { $0.kind == kind }
        if !entries.isEmpty {
          let outcome = write(entries, to: &records[index], isLast: isStopping)
          copies.send(outcome.lines, kind)
          if outcome.isIncomplete { retryAt = .now.advanced(by: Self.retryPause) }
          hasGrown = hasGrown || !outcome.isIncomplete
        }
        if hasGrown { removeOldest(&records[index]) }
      }
      if isStopping, retryAt == nil { return }
    }
  }

  private func takePending(
    _ records: [any AuditRecords],
    _ copies: inout AuditCopies
  ) -> (batches: [[AuditEntry]], added: [AuditTable.Added], isStopping: Bool) {
    state.withLock { state in
      for entry in state.isStopping ? state.tally.takeAll() : state.tally.takeDue(at: .now) {
        state.append(entry)
      }
      copies.lost(state.lostCopies)
      defer { (state.copies, state.lostCopies) = ([], 0) }
      return (records.map { state.lanes[$0.kind]?.take() ?? [] }, state.copies, state.isStopping)
    }
  }

  private func wait(until retry: ContinuousClock.Instant?) {
    let due = [retry, state.withLock { $0.tally.due }].compactMap(\.self).min()
    guard let due else { return wakeUp.wait() }
    // A little more, so that it is over by then.
    _ = wakeUp.wait(for: max(ContinuousClock.now.duration(to: due), .zero) + .milliseconds(1))
  }

  /// Writes entries.
  ///
  /// - Returns: The lines that are to be copied, and whether some entries wait for another attempt.
  private func write(
    _ entries: [AuditEntry],
    to records: inout any AuditRecords,
    isLast: Bool
  ) -> (lines: [[UInt8]], isIncomplete: Bool) {
    let kind = records.kind
    do {
      let lines = try writing.withLock { _ in try records.append(entries) }
      let head = records.head
      let rest = entries.dropFirst(lines.count)
      state.withLock { state in
        state.lanes[kind]?.wrote(upTo: head)
        state.lanes[kind]?.putBack(rest)
      }
      return (lines, !rest.isEmpty)
    } catch let error as SQLError where error.isPassing && !isLast {
      logger.log(.warning, "entries of the audit log wait for the database", ["reason": "\(error)"])
      state.withLock { $0.lanes[kind]?.putBack(entries[...]) }
      return ([], true)
    } catch {
      logger.log(.error, "entries of the audit log were not written", ["reason": "\(error)"])
      state.withLock { $0.lanes[kind]?.lost(entries) }
      return (entries.map { $0.line() }, false)
    }
  }

  private func removeOldest(_ records: inout any AuditRecords) {
    do {
      try records.removeOldest()
    } catch {
      logger.log(.warning, "old lines of the audit log were not removed", ["reason": "\(error)"])
    }
  }
}
