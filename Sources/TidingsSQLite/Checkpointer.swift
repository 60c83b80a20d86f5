internal import Synchronization
internal import TidingsSQL

/// Moves the log into the database file on a thread of its own, so that commits do not wait for it.
///
/// The log is then used anew from its beginning: overwriting a file is faster than growing one.
public final class Checkpointer: Sendable {
  /// A log of this length is worth moving: 32 MiB.
  ///
  /// Pages that are written often are moved once.
  public static let logFramesWorthMoving = 8_000
  /// A log of this length is moved by the writer itself, which makes it wait: 256 MiB.
  public static let logFramesMax = 64_000

  private struct State {
    var isAsked = false
    var isStopping = false
  }

  private let path: String
  private let state = Mutex(State())
  private let wakeUp: Semaphore
  private let stopped: Semaphore

  /// Starts the thread.
  ///
  /// - Parameter path: The database file.
  public init(path: String) {
    self.path = path
    wakeUp = Semaphore()
    stopped = Semaphore()
    startThread { [self] in
      run()
      stopped.signal()
    }
  }

  /// Tells how long the log is after a commit; returns at once.
  ///
  /// - Returns: The log is so long that the writer should move it itself, now.
  public func logGrew(to frames: Int) -> Bool {
    if frames >= Self.logFramesWorthMoving {
      let isFirst = state.withLock { state in
        defer { state.isAsked = true }
        return !state.isAsked
      }
      if isFirst { wakeUp.signal() }
    }
    return frames >= Self.logFramesMax
  }

  /// Ends the thread, and returns when it has ended.
  public func stop() {
    state.withLock { $0.isStopping = true }
    wakeUp.signal()
    stopped.wait()
  }

  private func run() {
    guard let connection = try? SQLiteConnection(path: path) else { return }
    while true {
      wakeUp.wait()
      let isStopping = state.withLock { state in
        state.isAsked = false
        return state.isStopping
      }
      if isStopping { return }
      // A failure leaves the log as it is: the next call tries again, and the writer sees its own.
      _ = try? connection.checkpoint()
    }
  }
}
