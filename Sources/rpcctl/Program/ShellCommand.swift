internal import Dispatch
internal import Glibc
internal import Synchronization

/// A command of the user, run by the shell once for each notification.
///
/// Data is passed on standard input only: nothing that a server sends becomes part of the
/// command line. The command inherits the output of rpcctl.
struct ShellCommand: Sendable {
  let text: String

  init(_ text: String) {
    self.text = text
    // A command that does not read its input must not end rpcctl.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Runs the command; cancelling the task sends SIGTERM and waits until the command exits.
  ///
  /// - Parameters:
  ///   - input: The bytes for its standard input.
  ///   - timeMax: The time after which it gets SIGTERM; `nil`: no limit.
  /// - Throws: `CommandFailure` when its exit status is not 0; `LocalFailure` when it cannot be started.
  func run(_ input: [UInt8], timeMax: Duration? = nil) async throws {
    let child = try Child(text)
    let timer = timeMax.map { timeMax in
      Task {
        try await Task.sleep(for: timeMax)
        child.terminate()
      }
    }
    defer { timer?.cancel() }
    let status = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A thread of its own: writing and waiting may block.
        DispatchQueue(label: "command").async {
          continuation.resume(returning: child.finish(input))
        }
      }
    } onCancel: {
      child.terminate()
    }
    guard status != .exited(0) else { return }
    if Task.isCancelled { throw Interrupted() }
    throw CommandFailure(command: text, status: status)
  }
}

/// The command of `--exec` failed.
struct CommandFailure: Error, Hashable, Sendable, CustomStringConvertible {
  let command: String
  let status: Child.Status

  var description: String {
    switch status {
    case .exited(let code): "the command '\(command)' exited with status \(code)"
    case .signalled(let number): "the command '\(command)' was killed by signal \(number)"
    }
  }
}

/// A running shell.
final class Child: Sendable {
  enum Status: Hashable, Sendable {
    case exited(CInt)
    case signalled(CInt)
  }

  private let pid: pid_t
  private let inputDescriptor: CInt
  /// It was waited for: its pid may have been reused.
  private let isGone = Mutex(false)

  /// Starts the shell.
  fileprivate init(_ command: String) throws {
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else { throw Self.failure(errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    // The command does not inherit ignored or caught signals.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGPIPE, SIGINT] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    let arguments: [String] = ["/bin/sh", "-c", command]
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var pid = pid_t()
    let code = posix_spawn(&pid, "/bin/sh", &actions, &attributes, &words, environ)
    close(ends[0])
    guard code == 0 else {
      close(ends[1])
      throw Self.failure(code)
    }
    self.pid = pid
    inputDescriptor = ends[1]
  }

  /// Writes the command's input, and waits until it exits.
  fileprivate func finish(_ input: [UInt8]) -> Status {
    // A command need not read all its input.
    _ = Output.writeAll(input, to: inputDescriptor)
    close(inputDescriptor)
    var information = siginfo_t()
    // WNOWAIT keeps the pid reserved until `isGone` is set.
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    var status: CInt = 0
    isGone.withLock { isGone in
      while waitpid(pid, &status, 0) == -1, errno == EINTR {}
      isGone = true
    }
    let signal = status & 0x7f
    return signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
  }

  /// Sends SIGTERM, if the command still runs.
  fileprivate func terminate() {
    isGone.withLock { isGone in
      if !isGone { kill(pid, SIGTERM) }
    }
  }

  private static func failure(_ number: CInt) -> LocalFailure {
    LocalFailure("cannot run /bin/sh: \(String(cString: strerror(number)))")
  }
}
