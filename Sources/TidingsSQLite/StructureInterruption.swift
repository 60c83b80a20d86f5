internal import CSQLite
internal import Synchronization
internal import TidingsSQL

/// Ends a long statement from another thread.
public final class StructureInterruption: Sendable {
  private let isInterrupted = Atomic(false)
  private let gate: SnapshotGate?

  /// Nothing is interrupted yet.
  ///
  /// - Parameter gate: Whose snapshots the statement belongs to: it ends when these have to.
  public init(gate: SnapshotGate? = nil) { self.gate = gate }

  /// Ends the statement that runs with it, and those to come.
  public func interrupt() { isInterrupted.store(true, ordering: .relaxed) }

  fileprivate var isSet: Bool { isInterrupted.load(ordering: .relaxed) || gate?.mustEnd == true }
}

extension SQLiteConnection {
  /// SQLite's steps between two looks at the interruption: some milliseconds.
  private static let stepsPerLook: CInt = 100_000

  /// Reads the whole database, and checks how its tables and indexes fit together.
  ///
  /// - Parameters:
  ///   - count: Most problems.
  ///   - interruption: Ends it.
  /// - Returns: What is wrong, in SQLite's words; nothing for a database in order.
  /// - Throws: `SQLError`.
  public func structureProblems(
    max count: Int,
    _ interruption: StructureInterruption
  ) throws -> [String] {
    sqlite3_progress_handler(
      handle,
      Self.stepsPerLook,
      { context in
        guard let context else { return 0 }
        let interruption = Unmanaged<StructureInterruption>.fromOpaque(context)
        return interruption.takeUnretainedValue().isSet ? 1 : 0
      },
      Unmanaged.passUnretained(interruption).toOpaque()
    )
    defer { sqlite3_progress_handler(handle, 0, nil, nil) }
    var problems: [String] = []
    let statement = try prepare("PRAGMA quick_check(\(count))")
    do {
      try statement.forEachRow { problems.append(statement.string(0)) }
    } catch let error as SQLError where error.kind == .damaged {
      // A page that cannot be read at all ends the check.
      problems.append(error.message)
    }
    return problems == ["ok"] ? [] : problems
  }
}
