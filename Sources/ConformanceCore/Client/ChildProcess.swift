internal import Glibc

/// A program that the runner started, with its standard input and output.
///
/// It is the head of a process group of its own, which ends with it.
final class ChildProcess: Sendable {
  let pid: pid_t
  /// Its standard input; writing does not wait.
  let input: CInt
  /// Its standard output; reading does not wait.
  let output: CInt

  /// Starts a program.
  ///
  /// - Parameter arguments: The path first.
  /// - Throws: `ConformanceError`.
  init(_ arguments: [String]) throws(ConformanceError) {
    let toChild = try Self.makePipe()
    let fromChild = try Self.makePipe()
    defer {
      close(toChild.read)
      close(fromChild.write)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild.read, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, fromChild.write, STDOUT_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The threads of tasks block signals, and the runner ignores SIGPIPE.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var pipeSignal = sigset_t()
    sigemptyset(&pipeSignal)
    sigaddset(&pipeSignal, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &pipeSignal)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var pid = pid_t()
    let code = posix_spawn(&pid, arguments[0], &actions, &attributes, words, environ)
    guard code == 0 else {
      close(toChild.write)
      close(fromChild.read)
      throw ConformanceError(
        "'\(arguments[0])' cannot be started: \(String(cString: strerror(code)))"
      )
    }
    self.pid = pid
    input = toChild.write
    output = fromChild.read
    for end in [input, output] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    Leftovers.add(group: pid)
  }

  deinit {
    end(gracefully: false)
    close(output)
  }

  /// Ends the program and all that it started.
  ///
  /// - Parameter gracefully: It is asked first: its input ends, and SIGTERM comes; after 10 seconds it
  ///   is made to.
  /// - Returns: How it ended; `nil`: that was reported before.
  @discardableResult
  func end(gracefully: Bool) -> String? {
    guard Leftovers.claim(group: pid) else { return nil }
    close(input)
    if gracefully {
      kill(-pid, SIGTERM)
      if let reported = waited(milliseconds: 10_000) { return reported }
    }
    kill(-pid, SIGKILL)
    return waited(milliseconds: nil)
  }

  /// Waits until it ended by itself.
  ///
  /// - Returns: How, in words; `nil`: it goes on.
  func ending(withinMilliseconds milliseconds: Int) -> String? {
    var info = siginfo_t()
    for _ in 0...milliseconds / 5 {
      info = siginfo_t()
      waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT | WNOHANG)
      if info.si_code != 0 { return end(gracefully: false) }
      poll(nil, 0, 5)
    }
    return nil
  }

  /// Waits for its first line.
  ///
  /// - Returns: The line; `nil` when it ended or said nothing in time.
  func firstLine(withinMilliseconds milliseconds: Int) -> String? {
    var line: [UInt8] = []
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < end {
      var item = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard poll(&item, 1, 1_000) > 0 else { continue }
      var byte: UInt8 = 0
      guard read(output, &byte, 1) > 0 else { return nil }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }

  private func waited(milliseconds: Int?) -> String? {
    var status: CInt = 0
    var passed = 0
    while true {
      let found = waitpid(pid, &status, milliseconds == nil ? 0 : WNOHANG)
      if found == pid { break }
      if found < 0, errno != EINTR { return "it is gone" }
      guard let milliseconds else { continue }
      guard passed < milliseconds else { return nil }
      poll(nil, 0, 5)
      passed += 5
    }
    // What it started ends too.
    kill(-pid, SIGKILL)
    let signal = status & 0x7f
    if signal != 0 { return "it was ended by signal \(signal)" }
    // A shell reports its child's signal like this.
    let code = (status >> 8) & 0xff
    return "it exited with code \(code)" + (code > 128 ? ", by signal \(code - 128)" : "")
  }

  private static func makePipe() throws(ConformanceError) -> (read: CInt, write: CInt) {
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else { throw ConformanceError("there are no file descriptors left") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
