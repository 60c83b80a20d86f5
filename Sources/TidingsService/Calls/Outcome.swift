internal import TidingsZeroMQ

/// What a run of a handler came to.
///
/// A handler writes to the store, and sets nothing else: all that follows from its call is said here, and happens when
/// the call's group is committed, or not at all.
enum Outcome {
  /// The call is answered.
  case answered(CallAnswer)
  /// The handler is run again.
  case postponed(Postponement)
}

/// The answer to a call, which is sent after the commit, and what follows from the call.
struct CallAnswer {
  /// What is stored for the call's idempotency key.
  enum Kept {
    /// The answer.
    case whole
    /// Nothing: a repeated call is executed again.
    case nothing
    /// An answer without what may not outlast the call.
    case reduced([UInt8])
  }

  /// The encoded response.
  let body: [UInt8]
  var kept = Kept.whole
  var recordsSaved = 0
  var recordsDeleted = 0
  /// None or one, in a list because nearly all calls have none, and an answer is copied.
  private var otherEffects: [CallEffects] = []

  init(_ body: [UInt8], kept: Kept = .whole) { (self.body, self.kept) = (body, kept) }

  init(_ body: [UInt8], kept: Kept = .whole, effects: CallEffects) {
    self.init(body, kept: kept)
    self.effects = effects
  }

  /// What else follows from the call.
  var effects: CallEffects {
    get { otherEffects.first ?? CallEffects() }
    set { otherEffects = [newValue] }
  }

  /// Whether anything else does.
  var hasEffects: Bool { !otherEffects.isEmpty }

  /// What is stored for the call's idempotency key; `nil`: nothing.
  var keptBody: [UInt8]? {
    switch kept {
    case .whole: body
    case .nothing: nil
    case .reduced(let body): body
    }
  }
}

/// What follows from a call once it is durable, besides its answer and what the engine knows itself.
struct CallEffects {
  /// Connections of a user to be ended, but for the one that called.
  struct EndedConnections {
    let user: String
    let exceptConnection: UInt64
  }

  /// Control topics of users whose channels changed: their devices register again.
  var announcedTopics: Set<[UInt8]> = []
  /// Control topics of users of whom leases were released.
  var releasedTopics: Set<[UInt8]> = []
  /// Topics on which nothing is published any more.
  var retiredTopics: [[UInt8]] = []
  /// Entries of the audit log: of administrative calls, and of changed schemas.
  var audits: [AuditEntry] = []
  var endedConnections: [EndedConnections] = []
  /// Something waits for senders that no event shows.
  var deliveriesChanged = false
  var counters = CoreCounters()

  /// Adds what follows from a call that was answered.
  mutating func add(_ answer: CallAnswer) {
    counters.recordsSaved += UInt64(answer.recordsSaved)
    counters.recordsDeleted += UInt64(answer.recordsDeleted)
    if answer.hasEffects { add(answer.effects) }
  }

  /// Adds what follows from another call.
  mutating func add(_ other: CallEffects) {
    counters += other.counters
    if other.deliveriesChanged { deliveriesChanged = true }
    if !other.announcedTopics.isEmpty { announcedTopics.formUnion(other.announcedTopics) }
    if !other.releasedTopics.isEmpty { releasedTopics.formUnion(other.releasedTopics) }
    if !other.retiredTopics.isEmpty { retiredTopics += other.retiredTopics }
    if !other.audits.isEmpty { audits += other.audits }
    if !other.endedConnections.isEmpty { endedConnections += other.endedConnections }
  }
}

/// A handler cannot answer yet, and is run again.
struct Postponement {
  /// When.
  enum Cause {
    /// When this is done, on another thread, with the encoded request.
    case computing(@Sendable (_ body: KeptBody, ReadSlice) -> Bool)
    /// In another turn: a piece of the call is written, and this follows from it.
    case nextTurn(CallEffects)
    /// On a reader thread.
    case reading
    /// When it may have the store for itself, and pause (`Pace`): nothing of it is written.
    case alone
  }

  let cause: Cause
  /// What the next run goes on from.
  var progress: (any CallProgress)?
}

/// What a call keeps between the runs of its handler: they share it with the work between them, and never
/// touch it at the same time.
///
/// A run does not change what it goes on from, since it may be rolled back and made again.
protocol CallProgress: AnyObject, Sendable {
  /// A part of the call is durable.
  var hasWritten: Bool { get }
}

extension CallProgress {
  var hasWritten: Bool { false }
}
