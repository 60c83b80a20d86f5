internal import Dispatch
internal import Glibc

/// The user's text editor.
struct Editor: Sendable {
  /// The shell command, which gets the file as its argument.
  let command: String

  /// The environment variables that name the editor; the first that is set is used.
  static let variables = ["VISUAL", "EDITOR"]

  /// Opens a file, and waits until the editor exits.
  ///
  /// - Throws: `CommandFailure` when its exit status is not 0.
  func edit(_ path: String) async throws {
    // The editor has the terminal: Ctrl-C is for the editor.
    let status = await Interruption.whileIgnored {
      await withCheckedContinuation { continuation in
        DispatchQueue(label: "editor").async { continuation.resume(returning: run(path)) }
      }
    }
    guard status != 0 else { return }
    let signal = status & 0x7f
    throw CommandFailure(
      command: command,
      status: signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
    )
  }

  /// Runs the editor; returns its status as `waitpid` has it.
  private func run(_ path: String) -> CInt {
    let arguments = ["/bin/sh", "-c", command + " \"$1\"", "sh", path]
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    // The editor does not inherit ignored signals.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGPIPE, SIGINT] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var pid = pid_t()
    guard posix_spawn(&pid, "/bin/sh", nil, &attributes, &words, environ) == 0 else {
      return 127 << 8
    }
    var status: CInt = 0
    while waitpid(pid, &status, 0) == -1, errno == EINTR {}
    return status
  }
}

extension Invocation {
  /// Returns the given editor, else the user's own, else vi on a terminal.
  func editor(_ named: String? = nil) throws(LocalFailure) -> Editor {
    let environment = program.environment
    let found = named ?? Editor.variables.compactMap { environment[$0] }.first { !$0.isEmpty }
    if let found { return Editor(command: found) }
    guard program.readLine != nil else {
      throw LocalFailure("no editor: set VISUAL or EDITOR")
    }
    return Editor(command: "vi")
  }
}
