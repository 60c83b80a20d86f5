import BenchCore
import Glibc

/// A process that the benchmark starts, waits for and stops.
final class ChildProcess {
  /// What it said when it was ready.
  let ready: ReadyLine

  let pid: pid_t
  private let input: CInt
  private let output: CInt
  private var isRunning = true

  private static let startSecondsMax = 60

  /// Starts a program, whose path comes first, and waits until it says that it is ready.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments.
  ///   - additions: `NAME=VALUE` each, beside the environment of this process.
  /// - Throws: `BenchError`.
  init(_ arguments: [String], _ additions: [String] = []) throws {
    (pid, input, output) = try Self.spawn(arguments, additions)
    do {
      let line = try Self.readLine(from: output)
      guard let ready = ReadyLine(line) else {
        throw BenchError("\(arguments[0]) did not get ready: '\(line)'")
      }
      self.ready = ready
    } catch {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
      close(input)
      close(output)
      throw error
    }
  }

  /// Runs a program to its end, and returns what it printed.
  static func output(of arguments: [String]) throws -> String {
    let (pid, input, output) = try spawn(arguments)
    defer {
      close(input)
      close(output)
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(output, &buffer, buffer.count)
      if count < 0, errno == EINTR {
        kill(pid, SIGTERM)
        continue
      }
      if count <= 0 { break }
      bytes += buffer[..<count]
    }
    var status: CInt = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    try Interruption.check()
    guard status == 0 else {
      throw BenchError("\(arguments.joined(separator: " ")) ended with status \(status)")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Where it is called, and its processor time.
  func address() throws -> ServerAddress {
    guard let endpoint = ready.values["rpc"] else {
      throw BenchError("the ready line has no rpc=ENDPOINT")
    }
    return ServerAddress(
      endpoint: endpoint,
      pushEndpoint: ready.values["push"] ?? "",
      clock: try ProcessClock(of: pid)
    )
  }

  /// Stops the process and waits for its end.
  func stop() {
    guard isRunning else { return }
    isRunning = false
    kill(pid, SIGTERM)
    close(input)
    close(output)
    while waitpid(pid, nil, 0) < 0, errno == EINTR {}
  }

  deinit { stop() }

  private static func spawn(
    _ arguments: [String],
    _ additions: [String] = []
  ) throws -> (pid_t, input: CInt, output: CInt) {
    let (toChild, fromChild) = (try makePipe(), try makePipe())
    defer {
      close(toChild[0])
      close(fromChild[1])
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild[0], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], STDOUT_FILENO)
    // A group of its own: a terminal's SIGINT reaches the benchmark, which stops its children.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    let vector: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for argument in vector { free(argument) } }
    let own = sequence(first: environ) { $0 + 1 }.lazy.map(\.pointee).prefix { $0 != nil }
    let added: [UnsafeMutablePointer<CChar>?] = additions.map { strdup($0) }
    defer { for addition in added { free(addition) } }
    var pid: pid_t = 0
    let code = posix_spawn(
      &pid,
      arguments[0],
      &actions,
      &attributes,
      vector,
      Array(own) + added + [nil]
    )
    guard code == 0 else {
      close(toChild[1])
      close(fromChild[0])
      throw BenchError(system: "starting \(arguments[0])", code: code)
    }
    return (pid, toChild[1], fromChild[0])
  }

  /// A pipe's reading and writing end, which children do not inherit.
  private static func makePipe() throws -> [CInt] {
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else { throw BenchError(system: "making a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return ends
  }

  private static func readLine(from file: CInt) throws -> String {
    var line: [UInt8] = []
    let deadline = Clock.now() + UInt64(startSecondsMax) * 1_000_000_000
    while true {
      try Interruption.check()
      var item = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      let left = (Int64(deadline) - Int64(Clock.now())) / 1_000_000
      guard left > 0 else { throw BenchError("a program did not get ready in time") }
      guard poll(&item, 1, CInt(left)) > 0 else { continue }
      var byte: UInt8 = 0
      guard read(file, &byte, 1) > 0 else { break }
      if byte == UInt8(ascii: "\n") { break }
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }
}
