internal import Synchronization
internal import TidingsRPC
internal import TidingsThreads

/// A thread with a state of its own, for work that waits for disks: tasks must not, there is only one
/// thread for each processor to run them all.
///
/// Jobs are done one after the other, in their order.
final class WorkerThread<State>: Sendable {
  private typealias Job = @Sendable (State?) -> Void

  /// Most jobs that wait.
  static var jobsMax: Int { 1024 }

  private let queue = Mutex(JobQueue<Job>(countMax: jobsMax))
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
  /// - Parameters:
  ///   - isRest: It ends what was done there before, and is refused only when the thread is stopping.
  ///   - body: What is done.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` throws; `RPCError` when the thread is stopping or too much waits already.
  func run<Value: Sendable>(
    isRest: Bool = false,
    _ body: @escaping @Sendable (State) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { waiting in
      let isTaken = submit(isRest: isRest) { state in
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

  /// Ends the thread after the job at hand; waiting callers are notified.
  func stop() {
    let left = queue.withLock { $0.stop() }
    wakeUp.signal()
    stopped.wait()
    for job in left { job(nil) }
  }

  private func submit(isRest: Bool = false, _ job: @escaping Job) -> Bool {
    let isTaken = queue.withLock { $0.add(job, isRest: isRest) }
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
