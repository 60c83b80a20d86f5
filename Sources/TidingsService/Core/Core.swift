internal import TidingsEngine
internal import TidingsModel
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsSQL
internal import TidingsSQLite
internal import TidingsZeroMQ

/// Answers the calls that need the store, in groups: all that arrived in one turn of the loop share a
/// transaction and its commit.
///
/// Answers leave after the commit. So an acknowledged save is durable, and so are its events; no read
/// tells what a crash can take back; and libzmq sends a group's answers in few system calls.
final class Core: LoopTurn {
  /// What a call does to the store.
  enum Access {
    /// It reads.
    case read
    /// It may write.
    case write
  }

  /// A call as the store's handlers see it: who calls, and with what.
  struct Call: ~Copyable {
    let caller: Caller
    let body: UnsafeRawBufferPointer
    let loop: LoopContext

    var arena: Arena { _read { yield loop.arena } }
  }

  /// Answers a call with the encoded response.
  typealias Handler = (borrowing Call) throws -> [UInt8]

  private struct KeptAnswer {
    let token: ReplyToken
    let answer: Result<[UInt8], RPCError>
  }

  let engine: Engine
  let logger: Logger
  private(set) var counters = CoreCounters()
  private var groupCounters = CoreCounters()

  /// Bytes of answers that one group may hold before it is committed.
  static let keptBytesMax = 64 << 20

  private let connection: SQLiteConnection
  private let folder: DataFolder
  private let checkpointer: Checkpointer
  private var isOpen = false
  private var hasWrites = false
  private var kept: [KeptAnswer] = []
  private var keptBytes = 0
  private var changedUsers: Set<ControlTopic> = []
  private var beacons = BeaconSchedule()

  /// A core on an open database; the folder stays locked as long as the core lives.
  init(_ connection: SQLiteConnection, _ folder: DataFolder, limits: Limits, logger: Logger) throws
  {
    self.connection = connection
    self.folder = folder
    self.logger = logger
    engine = try Engine(
      connection,
      codec: ProtoBodyCodec(),
      limits: limits,
      clock: { .now }
    )
    connection.setMovesLogOnClose(true)
    checkpointer = Checkpointer(path: folder.databasePath)
  }

  // MARK: Calls

  /// Lets the loop answer a method from the store.
  func register(
    _ method: MethodDescriptor,
    _ access: Access,
    on loop: LoopContext,
    _ handler: @escaping Handler
  ) {
    loop.registerInline(method) { [self] call, loop in
      do {
        if let deadline = call.deadline, deadline <= .now {
          throw RPCError(.deadlineExceeded, "the deadline passed before the call was begun")
        }
        try openGroup()
        let caller = try CallerIdentity.caller(of: call)
        let idempotent = access == .write ? Self.idempotentCall(call, caller) : nil
        hasWrites = hasWrites || access == .write
        let answer = try answer(
          Call(caller: caller, body: call.body, loop: loop),
          idempotent,
          handler
        )
        keep(call.token, .success(answer), bytes: answer.count, on: loop)
      } catch {
        keep(call.token, .failure(RPCError(callFailure: error)), bytes: 0, on: loop)
        if !error.isCallersMistake { giveUpGroup(after: error, on: loop) }
      }
    }
  }

  /// The channels of a user changed: tell the user's devices after the commit.
  func channelsChanged(of user: String, container: String, environment: Environment) {
    changedUsers.insert(
      ControlTopic(user: user, container: container, environment: environment)
    )
  }

  private func answer(
    _ call: borrowing Call,
    _ idempotent: IdempotentCall?,
    _ handler: Handler
  ) throws -> [UInt8] {
    guard let idempotent else { return try handler(call) }
    if let first = try engine.answer(to: idempotent) { return first }
    let answer = try handler(call)
    try engine.keep(answer, for: idempotent)
    return answer
  }

  private static func idempotentCall(
    _ call: borrowing InlineCall,
    _ caller: Caller
  )
    -> IdempotentCall?
  {
    guard !call.idempotencyKey.isEmpty else { return nil }
    return IdempotentCall(
      owner: caller.user,
      key: String(decoding: call.idempotencyKey, as: UTF8.self),
      method: call.method.fullName,
      request: call.body
    )
  }

  private func keep(
    _ token: ReplyToken,
    _ answer: Result<[UInt8], RPCError>,
    bytes: Int,
    on loop: LoopContext
  ) {
    kept.append(KeptAnswer(token: token, answer: answer))
    keptBytes += bytes
    // A turn of large answers must not fill the memory: its first part is a group of its own.
    if keptBytes > Self.keptBytesMax { turnEnded(loop) }
  }

  private func send(_ answer: KeptAnswer, on loop: LoopContext) {
    switch answer.answer {
    case .success(let body): loop.reply(answer.token, body: body)
    case .failure(let error): loop.fail(answer.token, error)
    }
  }

  // MARK: Groups

  func turnEnded(_ loop: LoopContext) {
    guard isOpen || !kept.isEmpty else { return }
    do {
      let events = isOpen ? try engine.commit() : []
      isOpen = false
      for answer in kept { send(answer, on: loop) }
      publish(events, on: loop)
      announceChannels(on: loop)
      count(events)
      if hasWrites, checkpointer.logGrew(to: connection.logFrames) {
        _ = try? connection.checkpoint()
      }
      finishGroup()
    } catch {
      giveUpGroup(after: error, on: loop)
    }
  }

  func stopping(_ loop: LoopContext) {
    turnEnded(loop)
    checkpointer.stop()
  }

  private func openGroup() throws {
    guard !isOpen else { return }
    try engine.begin()
    isOpen = true
  }

  private func finishGroup() {
    isOpen = false
    hasWrites = false
    kept.removeAll(keepingCapacity: true)
    keptBytes = 0
    groupCounters = CoreCounters()
    changedUsers.removeAll(keepingCapacity: true)
  }

  /// Nothing of the group was kept: all that waited for its commit learn that.
  private func giveUpGroup(after error: any Error, on loop: LoopContext) {
    logger.log(.error, "a group of calls was taken back", ["reason": "\(error)"])
    let failure = RPCError(callFailure: error)
    for answer in kept {
      send(KeptAnswer(token: answer.token, answer: .failure(failure)), on: loop)
    }
    finishGroup()
    engine.rollback()
  }

  // MARK: Pushes

  private func publish(_ events: [StoredEvent], on loop: LoopContext) {
    for event in events {
      loop.publish(topic: event.topic, body: PushMessage.event(event))
      beacons.published(event.topic, event.sequence, at: loop.now)
    }
  }

  private func announceChannels(on loop: LoopContext) {
    for change in changedUsers {
      let topic = engine.controlTopic(
        of: change.user,
        container: change.container,
        environment: change.environment
      )
      loop.publish(topic: topic, body: PushMessage.channelsChanged(at: .now))
    }
  }

  var nextTimer: ContinuousClock.Instant? { beacons.next }

  func timerFired(_ loop: LoopContext) {
    for beacon in beacons.takeDue(at: loop.now) {
      loop.publish(topic: beacon.topic, body: PushMessage.beacon(beacon.sequence, at: .now))
    }
  }

  // MARK: Counters

  /// Counts what counts once the group is committed.
  func countRecords(saved: Int, deleted: Int) {
    groupCounters.recordsSaved += UInt64(saved)
    groupCounters.recordsDeleted += UInt64(deleted)
  }

  private func count(_ events: [StoredEvent]) {
    if hasWrites { counters.commits += 1 }
    counters.recordsSaved += groupCounters.recordsSaved
    counters.recordsDeleted += groupCounters.recordsDeleted
    counters.events += UInt64(events.count)
  }
}

extension Error {
  /// The call is refused for what it asks, before it changed anything; others go on.
  fileprivate var isCallersMistake: Bool {
    self is ItemError || self is RPCError || self is MessageDecodingError
  }
}

/// What the core did since the start.
struct CoreCounters {
  var commits: UInt64 = 0
  var recordsSaved: UInt64 = 0
  var recordsDeleted: UInt64 = 0
  var events: UInt64 = 0
}

/// Whose devices are told.
private struct ControlTopic: Hashable {
  let user: String
  let container: String
  let environment: Environment
}
