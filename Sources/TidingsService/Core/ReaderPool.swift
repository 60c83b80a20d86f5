internal import Synchronization
internal import TidingsEngine
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

    init(_ engine: EngineReader) { self.engine = engine }
  }

  /// One call: what to do, and whom to answer.
  struct Job: Sendable {
    fileprivate typealias Delivery = @Sendable (LoopContext) -> Void

    let token: ReplyToken
    let deadline: ContinuousClock.Instant?
    /// Works on a reader thread; returns what is left to do on the loop.
    fileprivate let run: @Sendable (Result<Reader, RPCError>) -> Delivery

    /// A call that is answered with bytes.
    init(
      token: ReplyToken,
      deadline: ContinuousClock.Instant?,
      answer: @escaping @Sendable (Reader) throws -> [UInt8]
    ) {
      self.init(token: token, deadline: deadline, work: answer) { result, loop in
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
    ///   - work: Runs on a reader thread, within a snapshot.
    ///   - deliver: Answers the call, on the loop thread.
    init<Output: Sendable>(
      token: ReplyToken,
      deadline: ContinuousClock.Instant?,
      work: @escaping @Sendable (Reader) throws -> Output,
      deliver: @escaping @Sendable (Result<Output, RPCError>, LoopContext) -> Void
    ) {
      self.token = token
      self.deadline = deadline
      run = { reader in
        let result: Result<Output, RPCError>
        do {
          let reader = try reader.get()
          defer { reader.arena.reset() }
          result = .success(try reader.engine.withSnapshot { try work(reader) })
        } catch {
          result = .failure(RPCError(callFailure: error))
        }
        return { deliver(result, $0) }
      }
    }
  }

  /// Most calls that wait for a thread.
  static let jobsMax = 1024
  /// How big each connection's memory of pages may grow.
  private static let cacheBytesMax = 16 << 20

  private struct State {
    var jobs: [Job] = []
    var next = 0
    var isStopping = false
  }

  private let state = Mutex(State())
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
    let isTaken = state.withLock { state in
      guard state.jobs.count - state.next < Self.jobsMax, !state.isStopping else { return false }
      state.jobs.append(job)
      return true
    }
    if isTaken { wakeUp.signal() }
    return isTaken
  }

  /// Ends the threads, after the calls at hand; what waits is not begun.
  ///
  /// - Returns: The calls that were not begun.
  func stop() -> [Job] {
    let left = state.withLock { state in
      state.isStopping = true
      defer { (state.jobs, state.next) = ([], 0) }
      return Array(state.jobs[state.next...])
    }
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
        let ready = try reader ?? Self.open(path, limits)
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
      let (job, isStopping) = state.withLock { state -> (Job?, Bool) in
        guard state.next < state.jobs.count else { return (nil, state.isStopping) }
        defer {
          state.next += 1
          if state.next == state.jobs.count {
            state.jobs.removeAll(keepingCapacity: true)
            state.next = 0
          }
        }
        return (state.jobs[state.next], false)
      }
      if let job { return job }
      if isStopping { return nil }
    }
  }

  private static func open(_ path: String, _ limits: Limits) throws -> Reader {
    let connection = try SQLiteConnection(path: path, cacheBytes: cacheBytesMax, readsOnly: true)
    return Reader(try EngineReader(connection, codec: ProtoBodyCodec(), limits: limits))
  }
}
