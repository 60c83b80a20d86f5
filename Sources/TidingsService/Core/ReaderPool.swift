internal import Synchronization
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsSQLite
internal import TidingsZeroMQ

/// Threads that answer what may take long, each on a read connection of its own; the loop goes on
/// meanwhile.
final class ReaderPool: Sendable {
  /// What one thread reads with.
  final class Reader {
    let engine: EngineReader
    let arena = Arena()
    private let isStopping: () -> Bool

    init(_ engine: EngineReader, isStopping: @escaping () -> Bool) {
      self.engine = engine
      self.isStopping = isStopping
    }

    /// Reads within a snapshot, until a deadline.
    func withSnapshot<Output>(
      until deadline: ContinuousClock.Instant?,
      _ work: (Reader) throws -> Output
    ) throws -> Output {
      defer { arena.reset() }
      let end = ContinuousClock.now.advanced(by: ReaderPool.jobTimeMax)
      return try engine.withSnapshot(
        checking: { [isStopping] in
          if isStopping() { throw RPCError(.unavailable, "the server is stopping") }
          let now = ContinuousClock.now
          if let deadline, deadline <= now {
            throw RPCError(.deadlineExceeded, "the deadline passed while the query worked")
          }
          guard now < end else { throw Self.tookTooLong }
        },
        { try work(self) }
      )
    }

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
      answer: @escaping @Sendable (Reader) throws -> [UInt8]
    ) {
      self.init(token: token, deadline: deadline, bytes: bytes, work: answer) { result, loop in
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
    ///   - work: Runs on a reader thread, within a snapshot.
    ///   - deliver: Answers the call, on the loop thread.
    init<Output: Sendable>(
      token: ReplyToken,
      deadline: ContinuousClock.Instant?,
      bytes: Int,
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
          result = .failure(RPCError(callFailure: error))
        }
        return { deliver(result, $0) }
      }
    }
  }

  /// Most calls that wait for a thread.
  static let jobsMax = 1024
  /// Bytes of requests and answers that these calls hold.
  static let jobBytesMax = 64 << 20
  /// The longest that a query works on one page.
  static let jobTimeMax = Duration.seconds(60)
  /// How big each connection's memory of pages may grow.
  private static let cacheBytesMax = 16 << 20

  private let jobs = Mutex(JobQueue<Job>(countMax: jobsMax, bytesMax: jobBytesMax))
  private let remote: LoopRemote
  private let wakeUp = Semaphore()
  private let stopped = Semaphore()
  private let threadCount: Int

  /// Starts the threads.
  ///
  /// - Parameters:
  ///   - path: The database file, which an engine has opened.
  ///   - limits: What calls may not exceed.
  ///   - threadCount: How many threads.
  ///   - remote: The loop that sends the answers.
  init(path: String, limits: Limits, threadCount: Int = 2, remote: LoopRemote) {
    self.remote = remote
    self.threadCount = threadCount
    for _ in 0..<threadCount {
      startThread { [self] in
        run(path, limits)
        stopped.signal()
      }
    }
  }

  /// Hands a call to the threads.
  ///
  /// - Returns: `false` when too many wait already; it will not be answered.
  func submit(_ job: Job) -> Bool {
    let isTaken = jobs.withLock { $0.add(job, bytes: job.bytes) }
    if isTaken { wakeUp.signal() }
    return isTaken
  }

  /// Ends the threads, after the calls at hand; what waits is not begun.
  ///
  /// - Returns: The calls that were not begun.
  func stop() -> [Job] {
    let left = jobs.withLock { $0.stop() }
    for _ in 0..<threadCount { wakeUp.signal() }
    for _ in 0..<threadCount { stopped.wait() }
    return left
  }

  private func run(_ path: String, _ limits: Limits) {
    var reader: Reader?
    while let job = nextJob() {
      let delivery: Job.Delivery
      do {
        if let deadline = job.deadline, deadline <= .now {
          throw RPCError(.deadlineExceeded, "the deadline passed before the call was begun")
        }
        let ready = try reader ?? open(path, limits)
        reader = ready
        delivery = job.run(.success(ready))
      } catch {
        delivery = job.run(.failure(RPCError(callFailure: error)))
      }
      remote.submit(delivery)
    }
  }

  /// Waits for a call; `nil` when the pool is stopping.
  private func nextJob() -> Job? {
    while true {
      wakeUp.wait()
      let (job, isStopping) = jobs.withLock { ($0.takeNext(), $0.isStopping) }
      if let job { return job }
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
    return Reader(engine) { [self] in jobs.withLock(\.isStopping) }
  }
}
