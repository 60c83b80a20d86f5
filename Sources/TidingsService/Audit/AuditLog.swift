internal import Synchronization
internal import TidingsAudit
internal import TidingsModel
internal import TidingsThreads

/// Who administered what, and who was refused what: lines of JSON in the data folder, each tied to the line
/// before it.
///
/// Any thread adds entries and waits for nothing: a thread of the log's own writes them. Administrative
/// actions are written at once, refused ones within a minute, those alike counted together. What is
/// refused has files of its own, so that no flood displaces what was done.
final class AuditLog: Sendable {
  /// Most entries that are returned.
  static let entriesMax = AuditLane.newestMax

  private struct State {
    var lanes: [AuditKind: AuditLane]
    var tally = RefusalTally()
    var isStopping = false

    mutating func append(_ entry: AuditEntry) { lanes[entry.kind]?.append(entry) }
  }

  private let folder: String
  private let state: Mutex<State>
  /// Held while files are written or renamed, and while they are opened to be verified.
  private let writing = Mutex(())
  private let wakeUp = Semaphore()
  private let stopped = Semaphore()
  private let logger: Logger

  /// The log in a folder; starts its thread.
  ///
  /// - Parameters:
  ///   - folder: Where its files are.
  ///   - syslogPath: The socket that takes copies of its lines.
  ///   - logger: Logs what cannot be written.
  init(folder: String, syslogPath: String? = nil, logger: Logger) {
    self.folder = folder
    self.logger = logger
    let files = AuditKind.allCases.map { AuditFile($0, folder: folder) }
    state = Mutex(
      State(lanes: Dictionary(uniqueKeysWithValues: files.map { ($0.kind, AuditLane($0)) }))
    )
    // The chain of a log that is older than it begins at once, so that its lines cannot be taken for such.
    for file in files where file.isUnchained {
      var entry = AuditEntry("audit", isRefused: false, detail: "from here on lines are chained")
      entry.kind = file.kind
      state.withLock { $0.append(entry) }
      wakeUp.signal()
    }
    startThread { [self] in
      run(files, syslogPath)
      stopped.signal()
    }
  }

  /// Adds an entry, to be written at once.
  func add(_ entry: AuditEntry) {
    state.withLock { $0.append(entry) }
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

  /// Checks all files, as they are now: the lines that this process wrote last must be there.
  ///
  /// - Throws: `FileError`.
  func verify() throws -> [(kind: AuditKind, check: ChainCheck)] {
    let heads = heads
    let files = try writing.withLock { _ in
      try AuditKind.allCases.map { try AuditVerification($0, folder: folder) }
    }
    return try zip(files, heads).map { file, last in
      (file.kind, try file.check(kept: last.head.number == 0 ? [] : [last.head]))
    }
  }

  /// Writes what is left, and ends the thread.
  func stop() {
    state.withLock { $0.isStopping = true }
    wakeUp.signal()
    stopped.wait()
  }

  // MARK: The thread

  private func run(_ files: [AuditFile], _ syslogPath: String?) {
    var files = files
    var copies = AuditCopies(syslogPath, logger)
    var isStopping = false
    while !isStopping {
      wait()
      let batches: [[AuditEntry]]
      (batches, isStopping) = state.withLock { state in
        for entry in state.isStopping ? state.tally.takeAll() : state.tally.takeDue(at: .now) {
          state.append(entry)
        }
        return (files.map { state.lanes[$0.kind]?.take() ?? [] }, state.isStopping)
      }
      for (index, entries) in batches.enumerated() where !entries.isEmpty {
        let lines = write(entries, to: &files[index])
        copies.send(lines, files[index].kind)
      }
    }
  }

  private func wait() {
    guard let due = state.withLock({ $0.tally.due }) else { return wakeUp.wait() }
    // A little more, so that it is over by then.
    _ = wakeUp.wait(for: max(ContinuousClock.now.duration(to: due), .zero) + .milliseconds(1))
  }

  /// Writes entries; returns their lines.
  private func write(_ entries: [AuditEntry], to file: inout AuditFile) -> [[UInt8]] {
    let kind = file.kind
    do {
      let lines = try writing.withLock { _ in try file.append(entries) }
      let head = file.head
      state.withLock { $0.lanes[kind]?.head = head }
      return lines
    } catch {
      logger.log(.error, "entries of the audit log were not written", ["reason": "\(error)"])
      state.withLock { $0.lanes[kind]?.lost(entries) }
      return entries.map { $0.line() }
    }
  }
}
