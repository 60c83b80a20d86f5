internal import CMicroHTTPD
internal import Synchronization

/// Runs the task of a request, or of a streamed answer, on the thread of its connection, which is suspended while the task waits.
///
/// One that waits for an answer of a server costs no hand-over between threads but those to the server and back.
final class ConnectionExecutor: TaskExecutor {
  /// Unchecked: libmicrohttpd allows `MHD_resume_connection` from any thread, and only whoever took the pointer
  /// out of the state calls it.
  private struct Suspended: @unchecked Sendable { let connection: OpaquePointer }

  private struct State {
    /// Most often the only one.
    var first: UnownedJob?
    var more: [UnownedJob] = []
    var suspended: Suspended?
    /// The connection is gone.
    var isAbandoned = false

    mutating func add(_ job: UnownedJob) {
      if first == nil { first = job } else { more.append(job) }
    }

    mutating func next() -> UnownedJob? {
      defer { first = more.isEmpty ? nil : more.removeFirst() }
      return first
    }
  }

  private let state = Mutex(State())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (suspended, isAbandoned) = state.withLock { state -> (Suspended?, Bool) in
      if !state.isAbandoned { state.add(job) }
      return (state.suspended.take(), state.isAbandoned)
    }
    resume(suspended)
    if isAbandoned { globalConcurrentExecutor.enqueue(job) }
  }

  /// The connection looks again at what it waits for.
  func wake() { resume(state.withLock { $0.suspended.take() }) }

  private func resume(_ suspended: Suspended?) {
    if let suspended { MHD_resume_connection(suspended.connection) }
  }

  /// The connection broke before the task ended, which now ends elsewhere.
  func abandon() {
    state.withLock { $0.isAbandoned = true }
    while let job = state.withLock({ $0.next() }) { globalConcurrentExecutor.enqueue(job) }
  }

  /// Runs what there is to run; on the thread of the connection.
  func run() {
    while let job = state.withLock({ $0.next() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// Suspends the connection until there is something to run.
  ///
  /// - Returns: `false`: there is, and the connection was not suspended.
  func suspend(_ connection: OpaquePointer) -> Bool {
    state.withLock { state in
      guard state.first == nil else { return false }
      MHD_suspend_connection(connection)
      state.suspended = Suspended(connection: connection)
      return true
    }
  }
}
