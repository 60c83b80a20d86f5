internal import Synchronization
internal import TidingsModel
internal import TidingsSQLite

/// Who administered what, and who was refused what: lines of JSON in the data folder.
///
/// Any thread adds entries and waits for nothing: a thread of the log's own writes them. Administrative
/// actions are written at once, refused ones within a minute, those alike counted together.
final class AuditLog: Sendable {
  /// Newest entries that are in memory.
  static let entriesMax = 1_000
  /// Entries that wait to be written; more are counted and lost, which the log says.
  private static let pendingMax = 4_096

  private struct State {
    var pending: [AuditEntry] = []
    var lostCount: UInt64 = 0
    var tally = RefusalTally()
    /// What was written or is about to be, oldest first.
    var newest: [AuditEntry]
    var isStopping = false

    mutating func append(_ entries: [AuditEntry]) {
      for entry in entries {
        guard pending.count < AuditLog.pendingMax else {
          lostCount += 1
          continue
        }
        pending.append(entry)
        newest.append(entry)
      }
      if newest.count > 2 * AuditLog.entriesMax {
        newest.removeFirst(newest.count - AuditLog.entriesMax)
      }
    }
  }

  private let state: Mutex<State>
  private let wakeUp = Semaphore()
  private let stopped = Semaphore()
  private let logger: Logger

  /// The log in a folder; starts its thread.
  init(folder: String, logger: Logger) {
    let file = AuditFile(folder: folder)
    self.logger = logger
    state = Mutex(State(newest: file.newest(max: Self.entriesMax)))
    startThread { [self] in
      run(file)
      stopped.signal()
    }
  }

  /// Adds an administrative action.
  func add(_ entry: AuditEntry) {
    state.withLock { $0.append([entry]) }
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
  ///   - limit: Most of them, at most `entriesMax`.
  ///   - user: Only those of this user; empty: of all.
  /// - Returns: The entries, those included that are still counted.
  func newest(limit: Int, user: String) -> [AuditEntry] {
    let (kept, counted) = state.withLock { ($0.newest, $0.tally.entries) }
    // Refused actions were counted for a minute before they came to the others.
    let all = (kept.suffix(Self.entriesMax) + counted).sorted { $0.time < $1.time }
    let matching = user.isEmpty ? all : all.filter { $0.user == user }
    return Array(matching.suffix(limit))
  }

  /// Writes what is left, and ends the thread.
  func stop() {
    state.withLock { $0.isStopping = true }
    wakeUp.signal()
    stopped.wait()
  }

  // MARK: The thread

  private func run(_ file: AuditFile) {
    var file = file
    var isStopping = false
    while !isStopping {
      wait()
      let (entries, lostCount): ([AuditEntry], UInt64)
      (entries, lostCount, isStopping) = state.withLock { state in
        state.append(state.isStopping ? state.tally.takeAll() : state.tally.takeDue(at: .now))
        defer { (state.pending, state.lostCount) = ([], 0) }
        return (state.pending, state.lostCount, state.isStopping)
      }
      write(entries, lostCount, to: &file)
    }
  }

  private func wait() {
    guard let due = state.withLock({ $0.tally.due }) else { return wakeUp.wait() }
    // A little more, so that it is over by then.
    _ = wakeUp.wait(for: max(ContinuousClock.now.duration(to: due), .zero) + .milliseconds(1))
  }

  private func write(_ entries: [AuditEntry], _ lostCount: UInt64, to file: inout AuditFile) {
    var lines = entries.flatMap(\.line)
    if lostCount > 0 {
      lines += AuditEntry("audit", isRefused: true, detail: "\(lostCount) entries were lost").line
    }
    guard !lines.isEmpty else { return }
    do {
      try file.append(lines)
    } catch {
      logger.log(.error, "entries of the audit log were not written", ["reason": "\(error)"])
    }
  }
}
