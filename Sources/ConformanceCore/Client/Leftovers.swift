internal import Glibc
internal import Synchronization

/// What must not outlive the runner: process groups and folders.
public enum Leftovers {
  private struct State {
    var groups: Set<pid_t> = []
    var folders: Set<String> = []
  }

  private static let state = Mutex(State())

  /// Ends the program at SIGINT and SIGTERM, and first all that it started.
  ///
  /// To be called before any other thread is there: signals come to one thread only from then on.
  public static func clearOnSignals() {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    BlockingThread.start {
      var signals = sigset_t()
      sigemptyset(&signals)
      for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
      var signal: CInt = 0
      while sigwait(&signals, &signal) != 0 {}
      clear()
      _exit(128 + signal)
    }
  }

  /// Ends the processes and removes the folders.
  public static func clear() {
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
