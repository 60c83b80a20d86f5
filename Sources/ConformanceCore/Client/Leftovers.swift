internal import CZeroMQ
internal import Glibc
internal import Synchronization

/// What must not outlive the runner: process groups and folders.
public enum Leftovers {
  private struct State {
    var groups: Set<pid_t> = []
    var folders: Set<String> = []
  }

  private static let state = Mutex(State())
  private static let isEnding = Atomic(false)

  /// Ends the program at SIGINT, SIGTERM and SIGHUP, and first all that it started.
  ///
  /// By handlers: blocked signals would still end it, for the threads of tasks do not inherit the mask.
  public static func clearOnSignals() {
    // Made here: a handler may make nothing.
    _ = (signalFlag, signalSeen.load(ordering: .relaxed))
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { number in
        signalSeen.store(number, ordering: .relaxed)
        tidings_eventfd_signal(signalFlag)
      }
      action.sa_flags = SA_RESTART
      sigaction(signal, &action, nil)
    }
    BlockingThread.start {
      var item = pollfd(fd: signalFlag, events: Int16(POLLIN), revents: 0)
      while poll(&item, 1, -1) <= 0 {}
      end(128 + signalSeen.load(ordering: .relaxed))
    }
  }

  /// Ends the processes, removes the folders, and ends the program.
  ///
  /// - Parameter code: The program's exit code; that of whoever comes first counts.
  public static func end(_ code: Int32) -> Never {
    if isEnding.exchange(true, ordering: .relaxed) { while true { pause() } }
    clear()
    exit(code)
  }

  private static func clear() {
    let left = state.withLock { state in
      defer { state = State() }
      return state
    }
    for group in left.groups { kill(-group, SIGKILL) }
    for group in left.groups { waitpid(group, nil, 0) }
    for folder in left.folders { TemporaryFolder.remove(folder) }
  }

  static func add(group: pid_t) { state.withLock { _ = $0.groups.insert(group) } }

  /// - Returns: Whether it was still to be ended; whoever asks first ends it.
  static func claim(group: pid_t) -> Bool { state.withLock { $0.groups.remove(group) != nil } }

  static func add(folder: String) { state.withLock { _ = $0.folders.insert(folder) } }

  static func claim(folder: String) -> Bool {
    state.withLock { $0.folders.remove(folder) != nil }
  }
}

/// Rings when a signal came.
private let signalFlag = tidings_eventfd_make()
/// Its number.
private let signalSeen = Atomic<Int32>(0)
