internal import Synchronization
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsSQLite
internal import TidingsZeroMQ

/// Threads that answer what may take long, each on a read connection of its own; the loop goes on
/// meanwhile.
///
/// Callers have their turns, and none has all threads: the quick call of one does not wait for the slow
/// ones of another.
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

    /// Reads within a snapshot, until a deadline.
    func withSnapshot<Output>(
      until deadline: ContinuousClock.Instant?,
      _ work: (Reader) throws -> Output
    ) throws -> Output {
      gate.enter()
      defer {
        gate.leave()
        arena.reset()
      }
      let end = ContinuousClock.now.advanced(by: ReaderPool.jobTimeMax)
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

  /// One call: what to do, and whom to answer.
  struct Job: Sendable {
    fileprivate typealias Delivery = @Sendable (LoopContext) -> Void

    let token: ReplyToken
    let deadline: ContinuousClock.Instant?
    /// What it holds while it waits.
    fileprivate let bytes: Int
    /// Works on a reader thread; returns what is left to do on the loop.
    fileprivate let run: @Sendable (Result<Reader, RPCError>) -> Delivery

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
        work: answer
      ) { result, loop in
        switch result {
        case .success(let body): loop.reply(token, body: body)
        case .failure(let error): loop.fail(token, error)
        }
      }
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
      self.token = token
      self.deadline = deadline
      self.bytes = bytes
      run = { reader in
        let result: Result<Output, RPCError>
        do {
          result = .success(try reader.get().withSnapshot(until: deadline, work))
        } catch {
          (try? reader.get())?.failures.note(error, in: "a call that reads")
          result = .failure(RPCError(callFailure: error))
        }
        return { loop in
          // The caller may have been refused since the call began.
          let gate = (loop.turn as? Core)?.gate
          deliver(gate?.refusal(ofKey: keyNumber).map { .failure($0) } ?? result, loop)
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
  /// How many threads there are, and how many of them work for one caller.
  static let threadCount = 3
  static let threadsPerCallerMax = 2
  /// The longest that a query works on one page.
  static let jobTimeMax = Duration.seconds(60)
  /// How big each connection's memory of pages may grow.
  private static let cacheBytesMax = 16 << 20

  private struct Jobs {
    var waiting = FairQueue<CallerKey, Job>(
      .init(
        countMax: jobsMax,
        bytesMax: jobBytesMax,
        countPerCallerMax: jobsPerCallerMax,
        bytesPerCallerMax: jobBytesPerCallerMax,
        takenPerCallerMax: threadsPerCallerMax
      )
    )
    var isStopping = false
  }

  private let gate: SnapshotGate
  private let jobs = Mutex(Jobs())
  private let failures: StoreFailures
  private let steadyClock: SteadyClock
  private let remote: LoopRemote
  private let wakeUp = Semaphore()
  private let stopped = Semaphore()

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
    for _ in 0..<Self.threadCount {
      startThread { [self] in
        run(path, limits)
        stopped.signal()
      }
    }
  }

  /// Hands a call to the threads.
  ///
  /// - Returns: `false` when too many wait already, of all or of this caller; it will not be answered.
  func submit(_ job: Job, of caller: CallerKey) -> Bool {
    let isTaken = jobs.withLock { jobs in
      !jobs.isStopping && jobs.waiting.add(job, of: caller, bytes: job.bytes) == .added
    }
    if isTaken { wakeUp.signal() }
    return isTaken
  }

  /// Ends the threads, after the calls at hand; what waits is not begun.
  ///
  /// - Returns: The calls that were not begun.
  func stop() -> [Job] {
    let left = jobs.withLock { jobs in
      jobs.isStopping = true
      return jobs.waiting.takeAll().map(\.element)
    }
    for _ in 0..<Self.threadCount { wakeUp.signal() }
    for _ in 0..<Self.threadCount { stopped.wait() }
    return left
  }

  private func run(_ path: String, _ limits: Limits) {
    var reader: Reader?
    var last: CallerKey?
    while let (job, caller) = nextJob(after: last) {
      last = caller
      let delivery: Job.Delivery
      do {
        if let deadline = job.deadline, deadline <= .now {
          throw RPCError(.deadlineExceeded, "the deadline passed before the call was begun")
        }
        let ready = try reader ?? open(path, limits)
        reader = ready
        delivery = job.run(.success(ready))
      } catch {
        failures.note(error, in: "a connection that reads")
        delivery = job.run(.failure(RPCError(callFailure: error)))
      }
      remote.submit(delivery)
    }
  }

  /// Waits for a call; `nil` when the pool is stopping.
  ///
  /// The end of a call may be what another one of the same caller waits for, so a thread looks for one
  /// before it waits; the signals of calls that are found so wake a thread that finds none.
  ///
  /// - Parameter ended: The caller of the thread's last call.
  /// - Returns: The call and its caller.
  private func nextJob(after ended: CallerKey?) -> (Job, CallerKey)? {
    var ended = ended
    while true {
      if ended == nil { wakeUp.wait() }
      let (next, isStopping) = jobs.withLock { jobs in
        if let ended { jobs.waiting.ended(ended) }
        return (jobs.waiting.takeNext(), jobs.isStopping)
      }
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
