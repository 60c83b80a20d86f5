internal import Synchronization
internal import TidingsEngine
internal import TidingsMetrics
internal import TidingsSQL

/// What threads of the store do for the loop: they read what the next group is going to read, and make groups durable,
/// one after the other.
struct BesideWork {
  /// What it came to, set by a thread.
  final class Outcome: Sendable {
    private let end = Mutex<(error: SQLError?, time: ContinuousClock.Instant)?>(nil)

    /// Whether it is done.
    var isDone: Bool { end.withLock { $0 != nil } }
    /// When it was; `nil`: it is not.
    var time: ContinuousClock.Instant? { end.withLock { $0?.time } }
    /// Why it failed; `nil`: it did not.
    var error: SQLError? { end.withLock { $0?.error } }

    func set(_ error: SQLError?) { end.withLock { $0 = (error, .now) } }
  }

  /// Reads what gathered calls are going to read.
  struct Reading {
    let reads: ReadsAhead
    let waiting: [GroupedCalls.Waiting]
    let lines: Set<CallLine>
    let outcome = Outcome()
  }

  /// Makes a group durable.
  struct Commit {
    let group: CallGroup
    /// The next group may be decided meanwhile.
    let letsNextBegin: Bool
    let lines: Set<CallLine>
    /// When it began, in nanoseconds of the monotonic clock.
    let begun = monotonicNanoseconds()
    let begin = ContinuousClock.now
    let outcome = Outcome()
  }

  /// Most groups that are prepared: one is made durable, and one that became too large to grow waits behind it.
  private static let commitsMax = 2
  /// Answers with which a group does not grow any more.
  static let growingMax = 1_024

  var reading: Reading?
  /// In their order.
  var commits: [Commit] = []
  /// A group that grows until those before it are durable, with calls that let the next group begin.
  var growing: CallGroup?

  /// Nobody does anything beside the loop.
  var isNone: Bool { reading == nil && commits.isEmpty && growing == nil }

  /// Calls may be decided, though groups before theirs are not durable yet.
  var letsNextBegin: Bool {
    commits.count < Self.commitsMax && commits.allSatisfy(\.letsNextBegin)
  }

  /// Whether calls of a line are part of it, behind which others of the line keep.
  func holds(_ line: CallLine) -> Bool {
    reading?.lines.contains(line) == true || commits.contains { $0.lines.contains(line) }
  }
}
