internal import Synchronization
internal import TidingsRPC
internal import TidingsSQLite

/// A thread with a state of its own, for work that waits for disks: tasks must not, there is only one
/// thread for each processor to run them all.
///
/// Jobs are done one after the other, in their order.
final class WorkerThread<State>: Sendable {
  private typealias Job = @Sendable (State?) -> Void

  private struct Queue {
    var jobs: [Job] = []
    var next = 0
    var isStopping = false

    mutating func takeNext() -> Job? {
      guard next < jobs.count else { return nil }
      let job = jobs[next]
      next += 1
      // What is done must not keep its memory while more comes.
      if next == jobs.count || next == 16 {
        jobs.removeSubrange(..<next)
        next = 0
      }
      return job
    }
  }

  /// Most jobs that wait.
  static var jobsMax: Int { 1024 }

  private let queue = Mutex(Queue())
  private let wakeUp = Semaphore()
  private let stopped = Semaphore()

  /// Starts the thread, which makes its state itself.
  init(_ makeState: @escaping @Sendable () -> State) {
    startThread { [self] in
      work(on: makeState())
      stopped.signal()
    }
  }

  /// Does something on the thread.
  ///
  /// - Throws: What `body` throws; `RPCError` when the thread is stopping or too much waits already.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable (State) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { waiting in
      let isTaken = submit { state in
        guard let state else { return waiting.resume(throwing: RPCError.workerStopping) }
        waiting.resume(with: Result { try body(state) })
      }
      if !isTaken { waiting.resume(throwing: RPCError.workerStopping) }
    }
  }

  /// Does something on the thread, if it can be done at all: nobody waits for it.
  func runDetached(_ body: @escaping @Sendable (State) -> Void) {
    _ = submit { state in
      if let state { body(state) }
    }
  }

  /// Ends the thread after the job at hand; those who wait are told.
  func stop() {
    let left = queue.withLock { queue in
      queue.isStopping = true
      defer { (queue.jobs, queue.next) = ([], 0) }
      return queue.jobs[queue.next...]
    }
    wakeUp.signal()
    stopped.wait()
    for job in left { job(nil) }
  }

  private func submit(_ job: @escaping Job) -> Bool {
    let isTaken = queue.withLock { queue in
      guard queue.jobs.count - queue.next < Self.jobsMax, !queue.isStopping else { return false }
      queue.jobs.append(job)
      return true
    }
    if isTaken { wakeUp.signal() }
    return isTaken
  }

  private func work(on state: State) {
    while true {
      wakeUp.wait()
      let (job, isStopping) = queue.withLock { ($0.takeNext(), $0.isStopping) }
      job?(state)
      if isStopping { return }
    }
  }
}

extension RPCError {
  /// The threads for files take nothing more.
  fileprivate static let workerStopping = RPCError(
    .unavailable,
    "the server is busy or stopping: try again later",
    details: [.retryInfo(after: .seconds(1))]
  )
}
