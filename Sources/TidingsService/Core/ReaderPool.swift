internal import Synchronization
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsSQLite
internal import TidingsZeroMQ
internal import TidingsThreads

/// Threads that answer what may take long, each on a read connection of its own; the loop goes on
/// meanwhile.
///
/// Callers have their turns, and what takes long is worked on in slices (`ReaderSchedule`): the quick call of
/// one does not wait for the slow ones of others.
final class ReaderPool: Sendable {
  /// What one thread reads with.
  final class Reader {
    let engine: EngineReader
    let arena = Arena()
    private let gate: SnapshotGate
    fileprivate let failures: StoreFailures
    /// The steady time of the store.
    let steadyClock: SteadyClock
    private let isStopping: () -> Bool

    init(
      _ engine: EngineReader,
      gate: SnapshotGate,
      failures: StoreFailures,
      steadyClock: SteadyClock,
      isStopping: @escaping () -> Bool
    ) {
      self.engine = engine
      self.gate = gate
      self.failures = failures
      self.steadyClock = steadyClock
      self.isStopping = isStopping
    }

    /// Whether a slice is to end, now that it took this long: its snapshot may be in the way, too.
    func isOver(_ slice: Slice) -> Bool { slice.isOver || gate.mustEnd || isStopping() }

    /// Reads within a snapshot, until a deadline.
    func withSnapshot<Output>(
      until deadline: ContinuousClock.Instant?,
      worked: Duration,
      _ work: (Reader) throws -> Output
    ) throws -> Output {
      gate.enter()
      defer {
        gate.leave()
        arena.reset()
      }
      let end = ContinuousClock.now.advanced(by: ReaderPool.jobTimeMax - worked)
      return try engine.withSnapshot(
        checking: { [gate, isStopping] in
          if isStopping() { throw RPCError(.unavailable, "the server is stopping") }
          if gate.mustEnd { throw Self.heldLogTooLong }
          let now = ContinuousClock.now
          if let deadline, deadline <= now {
            throw RPCError(.deadlineExceeded, "the deadline passed while the query worked")
          }
          guard now < end else { throw Self.tookTooLong }
        },
        { try work(self) }
      )
    }

    private static let heldLogTooLong = RPCError(
      .unavailable,
      "the query kept the log of the store from being moved for too long: try again, or ask "
        + "ExplainQuery which index to declare",
      details: [.retryInfo(after: .seconds(1))]
    )

    private static let tookTooLong = ItemError(
      .limitExceeded,
      "the query worked for \(ReaderPool.jobTimeMax) and found no end: ask ExplainQuery with a "
        + "narrower predicate which index to declare"
    )
  }

  /// The time in which a thread works on a job before others have their turns.
  struct Slice {
    let end: ContinuousClock.Instant

    /// Whether it has passed.
    var isOver: Bool { end <= .now }
  }

  /// One call: what to do, and whom to answer.
  struct Job: Sendable {
    fileprivate typealias Delivery = @Sendable (LoopContext) -> Void

    let token: ReplyToken
    let deadline: ContinuousClock.Instant?
    /// What it holds while it waits.
    fileprivate let bytes: Int
    /// What was worked on it in earlier slices.
    fileprivate var worked = Duration.zero
    /// Works on a reader thread; returns what is left to do on the loop, or `nil` for another slice.
    fileprivate let run:
      @Sendable (_ reader: () throws -> Reader, Slice, _ worked: Duration) -> Delivery?
    /// Delivers that it was not worked on.
    fileprivate let fail: @Sendable (RPCError) -> Delivery

    /// A call that is answered with bytes.
    init(
      token: ReplyToken,
      deadline: ContinuousClock.Instant?,
      bytes: Int,
      keyNumber: Int64?,
      answer: @escaping @Sendable (Reader) throws -> [UInt8]
    ) {
      self.init(
        token: token,
        deadline: deadline,
        bytes: bytes,
        keyNumber: keyNumber,
        work: answer,
        deliver: Self.reply(to: token)
      )
    }

    /// A call that is answered with bytes, and worked on in slices.
    ///
    /// - Parameters:
    ///   - token: Whom to answer.
    ///   - deadline: When the answer is no longer wanted.
    ///   - bytes: What it holds while it waits.
    ///   - keyNumber: The number of the key of the caller's connection.
    ///   - slices: Runs on a reader thread, each time within another snapshot; `nil`: another slice is
    ///     needed.
    init(
      token: ReplyToken,
      deadline: ContinuousClock.Instant?,
      bytes: Int,
      keyNumber: Int64?,
      slices: @escaping @Sendable (Reader, Slice) throws -> [UInt8]?
    ) {
      self.init(
        token: token,
        deadline: deadline,
        bytes: bytes,
        keyNumber: keyNumber,
        read: slices,
        deliver: Self.reply(to: token)
      )
    }

    /// A call whose result the loop deals with.
    ///
    /// - Parameters:
    ///   - token: Whom to answer; only used if the work is never begun.
    ///   - deadline: When the answer is no longer wanted.
    ///   - bytes: What it holds while it waits.
    ///   - keyNumber: The number of the key of the caller's connection: if the key is refused by then,
    ///     that is what is delivered.
    ///   - work: Runs on a reader thread, within a snapshot.
    ///   - deliver: Answers the call, on the loop thread.
    init<Output: Sendable>(
      token: ReplyToken,
      deadline: ContinuousClock.Instant?,
      bytes: Int,
      keyNumber: Int64?,
      work: @escaping @Sendable (Reader) throws -> Output,
      deliver: @escaping @Sendable (Result<Output, RPCError>, LoopContext) -> Void
    ) {
      self.init(
        token: token,
        deadline: deadline,
        bytes: bytes,
        keyNumber: keyNumber,
        read: { reader, _ in try work(reader) },
        deliver: deliver
      )
    }

    /// Work that needs nothing of the store, in slices.
    ///
    /// - Parameters:
    ///   - token: Whom to answer; only used if the work is never begun.
    ///   - deadline: When the answer is no longer wanted.
    ///   - bytes: What it holds while it waits.
    ///   - keyNumber: As above.
    ///   - compute: Runs on a reader thread; answers whether it is done.
    ///   - deliver: Goes on with the call, on the loop thread.
    init(
      token: ReplyToken,
      deadline: ContinuousClock.Instant?,
      bytes: Int,
      keyNumber: Int64?,
      compute: @escaping @Sendable (Slice) -> Bool,
      deliver: @escaping @Sendable (Result<Void, RPCError>, LoopContext) -> Void
    ) {
      self.init(token, deadline, bytes, keyNumber, deliver) { _, slice, _ in
        compute(slice) ? .success(()) : nil
      }
    }

    private init<Output: Sendable>(
      token: ReplyToken,
      deadline: ContinuousClock.Instant?,
      bytes: Int,
      keyNumber: Int64?,
      read: @escaping @Sendable (Reader, Slice) throws -> Output?,
      deliver: @escaping @Sendable (Result<Output, RPCError>, LoopContext) -> Void
    ) {
      self.init(token, deadline, bytes, keyNumber, deliver) { open, slice, worked in
        let reader: Reader
        do {
          reader = try open()
        } catch {
          return .failure(RPCError(callFailure: error))
        }
        do {
          return try reader.withSnapshot(until: deadline, worked: worked) {
            try read($0, slice)
          }.map { .success($0) }
        } catch {
          reader.failures.note(error, in: "a call that reads")
          return .failure(RPCError(callFailure: error))
        }
      }
    }

    private init<Output: Sendable>(
      _ token: ReplyToken,
      _ deadline: ContinuousClock.Instant?,
      _ bytes: Int,
      _ keyNumber: Int64?,
      _ deliver: @escaping @Sendable (Result<Output, RPCError>, LoopContext) -> Void,
      run work:
        @escaping @Sendable (() throws -> Reader, Slice, Duration) -> Result<Output, RPCError>?
    ) {
      self.token = token
      self.deadline = deadline
      self.bytes = bytes
      let delivery = { @Sendable (result: Result<Output, RPCError>) -> Delivery in
        { loop in
          // The caller may have been refused since the call began.
          let gate = (loop.turn as? Core)?.gate
          deliver(gate?.refusal(ofKey: keyNumber).map { .failure($0) } ?? result, loop)
        }
      }
      fail = { delivery(.failure($0)) }
      run = { reader, slice, worked in work(reader, slice, worked).map(delivery) }
    }

    private static func reply(
      to token: ReplyToken
    ) -> @Sendable (Result<[UInt8], RPCError>, LoopContext) -> Void {
      { result, loop in
        switch result {
        case .success(let body): loop.reply(token, body: body)
        case .failure(let error): loop.fail(token, error)
        }
      }
    }
  }

  /// Most calls that wait for a thread, and those of one caller.
  static let jobsMax = 1024
  static let jobsPerCallerMax = jobsMax / 2
  /// Bytes of requests and answers that these calls hold.
  static let jobBytesMax = 64 << 20
  static let jobBytesPerCallerMax = jobBytesMax / 2
  /// What the threads work on: two keep to first slices.
  private static let roles: [Schedule.Role] = [.short, .short, .shortFirst, .longFirst]
  /// How many threads there are, and how many of them work for one caller on first slices, and on others.
  static let threadCount = 4
  static let threadsPerCallerMax = 2
  /// How long a job is worked on before it has to wait for its caller's next turn.
  static let firstSlice = Duration.milliseconds(3)
  static let laterSlice = Duration.milliseconds(10)
  /// The longest that a query works on one page, all slices together.
  static let jobTimeMax = Duration.seconds(60)
  /// How big each connection's memory of pages may grow.
  private static let cacheBytesMax = 16 << 20

  private typealias Schedule = ReaderSchedule<CallerKey, Job>

  private struct Jobs {
    var schedule = Schedule(
      .init(
        countMax: jobsMax,
        bytesMax: jobBytesMax,
        countPerCallerMax: jobsPerCallerMax,
        bytesPerCallerMax: jobBytesPerCallerMax,
        takenPerCallerMax: threadsPerCallerMax
      )
    )
    /// Threads that keep to first slices and wait for one.
    var idleCount = roles.count { $0 == .short }
    var isStopping = false
  }

  private let gate: SnapshotGate
  private let jobs = Mutex(Jobs())
  private let failures: StoreFailures
  private let steadyClock: SteadyClock
  private let remote: LoopRemote
  /// Wakes the threads that take first slices, and those that take others.
  private let shortWakeUp = Semaphore()
  private let longWakeUp = Semaphore()
  private let stopped = Semaphore()
  /// What may be on its way to the loop.
  private let deliveries = Semaphore()
  static let deliveriesMax = 4

  /// Starts the threads.
  ///
  /// - Parameters:
  ///   - path: The database file, which an engine has opened.
  ///   - gate: Where snapshots are taken.
  ///   - limits: What calls may not exceed.
  ///   - failures: Logs what the store failed with.
  ///   - steadyClock: The steady time of the store.
  ///   - remote: The loop that sends the answers.
  init(
    path: String,
    gate: SnapshotGate,
    limits: Limits,
    failures: StoreFailures,
    steadyClock: SteadyClock,
    remote: LoopRemote
  ) {
    self.gate = gate
    self.failures = failures
    self.steadyClock = steadyClock
    self.remote = remote
    for _ in 0..<Self.deliveriesMax { deliveries.signal() }
    for role in Self.roles {
      startThread { [self] in
        if role != .short { lowerPriorityOfThread() }
        run(role, path, limits)
        stopped.signal()
      }
    }
  }

  /// Hands a call to the threads.
  ///
  /// - Returns: `false` when too many wait already, of all or of this caller; it will not be answered.
  func submit(_ job: Job, of caller: CallerKey) -> Bool {
    let (isTaken, isShort, isEnough) = jobs.withLock { jobs in
      let before = jobs.schedule.shortCount
      let isTaken =
        !jobs.isStopping && jobs.schedule.add(job, of: caller, bytes: job.bytes, at: .now)
      let count = jobs.schedule.shortCount
      return (isTaken, count > before, count <= jobs.idleCount)
    }
    guard isTaken else { return false }
    if isShort { shortWakeUp.signal() }
    if !isShort || !isEnough { longWakeUp.signal() }
    return true
  }

  /// Ends the threads, after the calls at hand; what waits is not begun.
  ///
  /// - Returns: The calls that were not begun.
  func stop() -> [Job] {
    let left = jobs.withLock { jobs in
      jobs.isStopping = true
      return jobs.schedule.takeAll()
    }
    for _ in 0..<Self.threadCount {
      shortWakeUp.signal()
      longWakeUp.signal()
    }
    for _ in 0..<Self.threadCount { stopped.wait() }
    return left
  }

  private func run(_ role: Schedule.Role, _ path: String, _ limits: Limits) {
    var reader: Reader?
    var ended: Ended?
    while let taken = next(role, after: ended) {
      let begin = ContinuousClock.now
      var job = taken.job
      let slice = Slice(end: begin.advanced(by: taken.isLong ? Self.laterSlice : Self.firstSlice))
      var delivery: Job.Delivery?
      if let deadline = job.deadline, deadline <= begin {
        let error = RPCError(.deadlineExceeded, "the deadline passed before the call was done")
        delivery = job.fail(error)
      } else {
        let ready = { [self] in
          if let reader { return reader }
          do {
            let opened = try open(path, limits)
            reader = opened
            return opened
          } catch {
            failures.note(error, in: "a connection that reads")
            throw error
          }
        }
        delivery = job.run(ready, slice, job.worked)
      }
      let time = begin.duration(to: .now)
      job.worked += time
      ended = Ended(
        taken: taken,
        rest: delivery == nil ? job : nil,
        debt: taken.isLong ? time : time - Self.firstSlice
      )
      if let delivery { deliver(delivery) }
    }
  }

  /// Hands what a thread found to the loop, once that took enough of what it has to take already: answers are large.
  private func deliver(_ delivery: @escaping Job.Delivery) {
    while !deliveries.wait(for: .milliseconds(50)) {
      if jobs.withLock(\.isStopping) { break }
    }
    remote.submit { [deliveries] loop in
      delivery(loop)
      deliveries.signal()
    }
  }

  /// What a thread has worked on.
  private struct Ended {
    let taken: Schedule.Taken
    let rest: Job?
    let debt: Duration
  }

  /// Waits for a job; `nil` when the pool is stopping.
  ///
  /// The end of a job may be what another one of the same caller waits for, so a thread looks for one
  /// before it waits; the signals of jobs that are found so wake a thread that finds none.
  ///
  /// - Parameters:
  ///   - role: What the thread works on.
  ///   - ended: What it did before.
  /// - Returns: The job.
  private func next(_ role: Schedule.Role, after ended: Ended?) -> Schedule.Taken? {
    var ended = ended
    while true {
      if ended == nil { (role == .short ? shortWakeUp : longWakeUp).wait() }
      let (next, unbegun, isStopping) = jobs.withLock { jobs in
        let rest = jobs.isStopping ? nil : ended?.rest
        if let ended {
          jobs.schedule.ended(ended.taken, rest: rest, debt: ended.debt, at: .now)
        }
        let next = jobs.schedule.takeNext(role)
        if role == .short {
          if ended == nil { jobs.idleCount -= 1 }
          if next == nil { jobs.idleCount += 1 }
        }
        return (next, jobs.isStopping ? ended?.rest : nil, jobs.isStopping)
      }
      if let unbegun {
        remote.submit(unbegun.fail(RPCError(.unavailable, "the server is stopping")))
      }
      // What is left, or what its caller may have done now.
      if let ended, ended.rest != nil || ended.taken.isLong { longWakeUp.signal() }
      ended = nil
      if let next { return next }
      if isStopping { return nil }
    }
  }

  private func open(_ path: String, _ limits: Limits) throws -> Reader {
    let connection = try SQLiteConnection(
      path: path,
      cacheBytes: Self.cacheBytesMax,
      readsOnly: true
    )
    let engine = try EngineReader(connection, codec: ProtoBodyCodec(), limits: limits)
    return Reader(engine, gate: gate, failures: failures, steadyClock: steadyClock) { [self] in
      jobs.withLock(\.isStopping)
    }
  }
}
