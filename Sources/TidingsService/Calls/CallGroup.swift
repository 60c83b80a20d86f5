internal import TidingsEngine
internal import TidingsRPC
internal import TidingsZeroMQ

/// What the calls of one transaction leave to be done when it is committed.
struct CallGroup {
  /// The answer to one call, until then.
  struct Answer {
    let token: ReplyToken
    let result: Result<[UInt8], RPCError>
    /// Its call is kept; else it is good without the group, or there is nothing to be made again.
    var hasCall = false
  }

  /// Bytes of answers that one group may hold before it is committed.
  static let bytesMax = 64 << 20
  /// Answers for which room is made at once.
  private static let answersExpected = 64

  /// In the order of the calls.
  private(set) var answers: [Answer] = []
  /// Calls that are to be made again should the group be taken back for another one.
  private(set) var calls: [HeldCall] = []
  /// What tasks wait for: called with why the group was not kept, or `nil`.
  var waiting: [((any Error)?) -> Void] = []
  /// Calls may have written.
  var hasWrites = false
  /// What may have written was calls, not only the engine's own work.
  var hasWriteCalls = false
  /// Control topics of users whose channels changed: they are to be told.
  var announcedTopics: Set<[UInt8]> = []
  /// What administrators did.
  var audits: [AuditEntry] = []
  /// Topics that were replaced.
  var retiredTopics: [[UInt8]] = []
  /// Calls of which a part was written in this group, and that go on in another.
  var partlyWritten: [CallLine] = []
  /// Counts what counts once the group is committed.
  var counters = CoreCounters()
  /// What the store comes to with it, once that is prepared.
  var transaction: CommittedTransaction?

  private var bytes = 0

  /// A turn of large answers must not fill the memory: its first part is a group of its own.
  var isFull: Bool { bytes > Self.bytesMax }

  /// Keeps an answer.
  mutating func keep(_ result: Result<[UInt8], RPCError>, to token: ReplyToken) {
    if case .success(let body) = result { bytes += body.count }
    if answers.isEmpty { answers.reserveCapacity(Self.answersExpected) }
    answers.append(Answer(token: token, result: result))
  }

  /// Keeps the call that was answered last, which saw or wrote what the group has written.
  mutating func keep(_ call: consuming HeldCall) {
    guard let last = answers.indices.last else { return }
    answers[last].hasCall = true
    bytes += call.body.count
    if calls.isEmpty { calls.reserveCapacity(Self.answersExpected) }
    calls.append(call)
  }

  /// Nobody waits for it.
  var isEmpty: Bool { answers.isEmpty && waiting.isEmpty }
}

/// What the core did.
struct CoreCounters {
  var commits: UInt64 = 0
  var recordsSaved: UInt64 = 0
  var recordsDeleted: UInt64 = 0
  var events: UInt64 = 0

  static func += (total: inout Self, part: Self) {
    total.commits += part.commits
    total.recordsSaved += part.recordsSaved
    total.recordsDeleted += part.recordsDeleted
    total.events += part.events
  }
}
