internal import Synchronization
internal import TidingsEngine
internal import TidingsSQL

/// What a thread of the store does for the loop, which lets everything else that needs the store wait.
struct BesideWork {
  /// What it came to, set by that thread.
  final class Outcome: Sendable {
    private let failure = Mutex<SQLError??>(nil)

    /// Whether it is done.
    var isDone: Bool { failure.withLock { $0 != nil } }
    /// Why it failed; `nil`: it did not.
    var error: SQLError? { failure.withLock { $0 ?? nil } }

    func set(_ error: SQLError?) { failure.withLock { $0 = .some(error) } }
  }

  /// What it is for.
  enum Purpose {
    /// It reads what gathered calls are going to read.
    case reading(ReadsAhead, for: [GroupedCalls.Waiting])
    /// It commits a group.
    case committing(CallGroup)
  }

  let purpose: Purpose
  /// Others of these lines keep behind its calls.
  let lines: Set<CallLine>
  let outcome = Outcome()
}
