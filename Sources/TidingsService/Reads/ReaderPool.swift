internal import Synchronization
internal import TidingsEngine
internal import TidingsMemory
internal import TidingsModel
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsThreads
internal import TidingsZeroMQ

/// Threads that answer what may take long, each on a read connection of its own; the loop goes on
/// meanwhile.
///
/// Callers have their turns, and what takes long is worked on in slices (`ReaderSchedule`): the quick call of
/// one does not wait for the slow ones of others.
final class ReaderPool: Sendable {
  /// Most calls that wait for a thread, and those of one caller.
  static let jobsMax = 1024
  static let jobsPerCallerMax = jobsMax / 2
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
  private typealias Schedule = ReaderSchedule<CallerKey, ReadJob>

  private struct Jobs {
    var schedule: Schedule
    /// Threads that keep to first slices and wait for one.
    var idleCount = roles.count { $0 == .short }
    var isStopping = false

    init(bytesMax: Int) {
      schedule = Schedule(
        .init(
          countMax: jobsMax,
          bytesMax: bytesMax,
          countPerCallerMax: jobsPerCallerMax,
          bytesPerCallerMax: bytesMax / 2,
          takenPerCallerMax: threadsPerCallerMax
        )
      )
    }
  }

  private let readers: any StoreReaders
  private let limits: Limits
  private let memory: MemoryShares
  private let jobs: Mutex<Jobs>
  private let failures: StoreFailures
  private let steadyClock: SteadyClock
  private let remote: CoreRemote
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
  ///   - readers: Connections to the store, which an engine has opened.
  ///   - limits: What calls may not exceed.
  ///   - failures: Logs what the store failed with.
  ///   - steadyClock: The steady time of the store.
  ///   - remote: The loop that sends the answers.
  init(
    readers: any StoreReaders,
    limits: Limits,
    failures: StoreFailures,
    steadyClock: SteadyClock,
    remote: CoreRemote
  ) {
    self.readers = readers
    memory = limits.memory
    jobs = Mutex(Jobs(bytesMax: memory[.readsWaiting]))
    self.limits = limits
    self.failures = failures
    self.steadyClock = steadyClock
    self.remote = remote
    for _ in 0..<Self.deliveriesMax { deliveries.signal() }
    for role in Self.roles {
      startThread { [self] in
        if role != .short { lowerPriorityOfThread() }
        run(role)
        stopped.signal()
      }
    }
  }

  /// Hands a call to the threads.
  ///
  /// - Returns: `false` when too many wait already, of all or of this caller; it will not be answered.
  func submit(_ job: ReadJob, of caller: CallerKey) -> Bool {
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

  /// How many calls wait for a thread or are worked on.
  var jobCount: Int { jobs.withLock(\.schedule.count) }

  /// Ends the threads, after the calls at hand; what waits is not begun.
  ///
  /// - Returns: The calls that were not begun.
  func stop() -> [ReadJob] {
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

  private func run(_ role: Schedule.Role) {
    var reader: StoreReader?
    var ended: Ended?
    while let taken = next(role, after: ended) {
      let begin = ContinuousClock.now
      var job = taken.job
      let slice = ReadSlice(
        end: begin.advanced(by: taken.isLong ? Self.laterSlice : Self.firstSlice),
        effort: taken.isLong ? .any : .cheapRows
      )
      var delivery: ReadJob.Delivery?
      if let deadline = job.deadline, deadline <= begin {
        let error = RPCError(.deadlineExceeded, "the deadline passed before the call was done")
        delivery = job.fail(error)
      } else {
        let ready = { [self] in
          if let reader { return reader }
          do {
            let opened = try openReader()
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
  private func deliver(_ delivery: @escaping ReadJob.Delivery) {
    while !deliveries.wait(for: .milliseconds(50)) {
      if jobs.withLock(\.isStopping) { break }
    }
    remote.submit { [deliveries] core, loop in
      delivery(core, loop)
      deliveries.signal()
    }
  }

  /// What a thread has worked on.
  private struct Ended {
    let taken: Schedule.Taken
    let rest: ReadJob?
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
      let (next, unbegun, isStopping, wakesShort) = jobs.withLock { jobs in
        let rest = jobs.isStopping ? nil : ended?.rest
        if let ended {
          jobs.schedule.ended(ended.taken, rest: rest, debt: ended.debt, at: .now)
        }
        let next = jobs.schedule.takeNext(role)
        if role == .short {
          if ended == nil { jobs.idleCount -= 1 }
          if next == nil { jobs.idleCount += 1 }
        }
        // Its caller may have another one done now, and this thread does something else.
        let wakesShort = ended != nil && jobs.idleCount > 0 && jobs.schedule.shortCount > 0
        return (next, jobs.isStopping ? ended?.rest : nil, jobs.isStopping, wakesShort)
      }
      if let unbegun {
        remote.submit(unbegun.fail(RPCError(.unavailable, "the server is stopping")))
      }
      if wakesShort { shortWakeUp.signal() }
      // What is left, or what its caller may have done now.
      if let ended, ended.rest != nil || ended.taken.isLong { longWakeUp.signal() }
      ended = nil
      if let next { return next }
      if isStopping { return nil }
    }
  }

  /// Opens what one thread reads with.
  func openReader() throws -> StoreReader {
    let connection = try readers.connect(cacheBytes: memory[.readerPages] / Self.threadCount)
    let engine = try EngineReader(connection, limits: limits)
    return StoreReader(
      engine,
      readers: readers,
      failures: failures,
      steadyClock: steadyClock,
      decodedBytesMax: memory.decodedReadBytesMax
    ) {
      [self] in
      jobs.withLock(\.isStopping)
    }
  }
}
