internal import TidingsEngine
internal import TidingsRPC
internal import TidingsZeroMQ

/// The calls of one transaction, and what must be done after its commit.
struct CallGroup {
  /// The answer to a call, which is sent after the commit.
  struct Answer {
    let token: ReplyToken
    let result: Result<[UInt8], RPCError>
    /// Whether the call only read.
    let isRead: Bool
    /// Whether the call is kept, to be executed again after a rollback.
    var hasCall = false
  }

  /// Work on the store that is not a call's.
  struct Task {
    /// Called with the reason if the group was rolled back, else with `nil`.
    let done: ((any Error)?) -> Void
    /// Does it again.
    let again: (LoopContext) -> Void
  }

  /// Initial capacity, in answers.
  private static let answersExpected = 64

  /// In the order of the calls.
  private(set) var answers: [Answer] = []
  /// Calls that are executed again if the group is rolled back because of another call.
  private(set) var calls: [HeldCall] = []
  /// Tasks that wait for the end of the group.
  var tasks: [Task] = []
  /// Whether the group may have written.
  var mayHaveWritten = false
  /// Whether calls may have written, not only maintenance tasks.
  var callsMayHaveWritten = false
  /// What follows from its calls.
  var effects = CallEffects()
  /// What their audit entries came to in the transaction itself; `nil`: they are added after the commit.
  var addedAudits: [AuditTable.Added]?
  /// Calls that were partly written in this group and continue in another, as they were before it.
  var partlyWritten: [HeldCall] = []
  /// Calls whose traces are recorded.
  var traced: [TracedCall] = []
  /// The effects of the transaction on the store, after they were prepared.
  var transaction: CommittedTransaction?

  /// What its answers and calls hold.
  private(set) var bytes = 0

  /// Adds the answer to a call, and what follows from it; `isRead`: it only read.
  mutating func keep(_ answer: CallAnswer, to token: ReplyToken, isRead: Bool = false) {
    keep(.success(answer.body), to: token, isRead: isRead)
    effects.add(answer)
  }

  /// Adds an answer; `isRead`: of a call that only read.
  mutating func keep(
    _ result: Result<[UInt8], RPCError>,
    to token: ReplyToken,
    isRead: Bool = false
  ) {
    if case .success(let body) = result { bytes += body.count }
    if answers.isEmpty { answers.reserveCapacity(Self.answersExpected) }
    answers.append(Answer(token: token, result: result, isRead: isRead))
  }

  /// Keeps the call that was answered last, because it read or wrote data of the open transaction.
  mutating func keep(_ call: consuming HeldCall) {
    guard let last = answers.indices.last else { return }
    answers[last].hasCall = true
    bytes += call.body.count
    if calls.isEmpty { calls.reserveCapacity(Self.answersExpected) }
    calls.append(call)
  }

  /// Whether no call or task waits for its end.
  var isEmpty: Bool { answers.isEmpty && tasks.isEmpty }
}

/// Counters of the core.
struct CoreCounters {
  var commits: UInt64 = 0
  var recordsSaved: UInt64 = 0
  var recordsDeleted: UInt64 = 0
  var events: UInt64 = 0
  /// Notifications that were handed out to devices of groups, those among them that were handed out before, and those
  /// that were done.
  var leases: UInt64 = 0
  var leasesRepeated: UInt64 = 0
  var leasesSettled: UInt64 = 0

  static func += (total: inout Self, part: Self) {
    total.commits += part.commits
    total.recordsSaved += part.recordsSaved
    total.recordsDeleted += part.recordsDeleted
    total.events += part.events
    total.leases += part.leases
    total.leasesRepeated += part.leasesRepeated
    total.leasesSettled += part.leasesSettled
  }
}
