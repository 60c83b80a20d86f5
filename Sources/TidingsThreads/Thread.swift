internal import CThreads
internal import Glibc

/// The system has no thread left.
package struct ThreadError: Error, CustomStringConvertible {
  /// What the thread was for.
  package let name: String
  /// The system's error number.
  package let code: CInt

  package var description: String { "starting the thread \(name) failed: error \(code)" }
}

/// Runs a closure on a new thread, which ends with it.
///
/// - Parameters:
///   - name: At most 15 bytes; shown by `ps -L` and debuggers.
///   - body: What the thread does.
/// - Throws: When the system has no thread left.
package func startThread(
  _ name: String,
  _ body: @escaping @Sendable () -> Void
) throws(ThreadError) {
  final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      (self.name, self.body) = (name, body)
    }
  }
  var thread = pthread_t()
  let start = Unmanaged.passRetained(Start(name, body))
  let code = pthread_create(
    &thread,
    nil,
    { argument in
      guard let argument else { return nil }
      let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
      tidings_thread_name(start.name)
      start.body()
      return nil
    },
    start.toOpaque()
  )
  guard code == 0 else {
    start.release()
    throw ThreadError(name: name, code: code)
  }
  pthread_detach(thread)
}

/// Runs a closure on a new thread that the program cannot do without.
package func startThread(_ body: @escaping @Sendable () -> Void) {
  do {
    try startThread("tidings-worker", body)
  } catch {
    preconditionFailure("\(error)")
  }
}

/// Lets other threads of the machine go first from now on.
package func lowerPriorityOfThread() {
  // Of a thread, not of the process: Linux has a nice value for each.
  _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
}

/// How long the calling thread was on a processor.
package func threadProcessorTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
