internal import Foundation
internal import TestSupport

/// A program in another language, started by a test.
final class ForeignProgram: Sendable {
  /// What was seen of it so far.
  struct Sightings: Sendable {
    fileprivate(set) var outputBytes: [UInt8] = []
    fileprivate(set) var errorBytes: [UInt8] = []
    fileprivate var endedPipes = 0
    fileprivate var code: Int32?

    var output: String { String(decoding: outputBytes, as: UTF8.self) }
    var errors: String { String(decoding: errorBytes, as: UTF8.self) }
    /// Whole lines of the output.
    var lines: [String] {
      output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
    /// Set when it has ended and all that it wrote was read; a signal's number is negative.
    var exit: Int32? { endedPipes == 2 ? code : nil }
  }

  let seen: Observed<Sightings>
  private let path: String
  private let pid: pid_t

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The program.
  ///   - arguments: Without its name.
  ///   - environment: What is added to that of the tests.
  /// - Throws: When it cannot be started.
  init(_ path: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
    let seen = Observed(Sightings())
    self.seen = seen
    self.path = path
    let variables = ProcessInfo.processInfo.environment
      .filter { !$0.key.hasPrefix("TIDINGS_") && !$0.key.hasPrefix("RPCCTL_") }
      .merging(environment) { $1 }
    let (output, errors) = (try ProcessGroup.makePipe(), try ProcessGroup.makePipe())
    let pid = try Self.spawn([path] + arguments, variables, output.write, errors.write)
    self.pid = pid
    close(output.write)
    close(errors.write)
    Self.read(output.read, into: seen) { $0.outputBytes += $1 }
    Self.read(errors.read, into: seen) { $0.errorBytes += $1 }
    Thread.detachNewThread {
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
      let signal = status & 0x7f
      seen.update { [status] in $0.code = signal == 0 ? (status >> 8) & 0xff : -signal }
    }
  }

  private static func spawn(
    _ command: [String],
    _ environment: [String: String],
    _ output: Int32,
    _ errors: Int32
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    // Threads of tasks take no signals, and what they start inherits that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    try ProcessGroup.enter(&attributes)
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var pid = pid_t()
    let code = posix_spawn(&pid, command[0], &actions, &attributes, &words, &variables)
    guard code == 0 else {
      throw WaitingFailure(
        description: "cannot start \(command[0]): \(String(cString: strerror(code)))"
      )
    }
    return pid
  }

  /// Runs a program to its end.
  static func run(
    _ path: String,
    _ arguments: [String] = [],
    environment: [String: String] = [:]
  ) async throws -> Sightings {
    let program = try ForeignProgram(path, arguments, environment: environment)
    return try await program.waitForEnd()
  }

  /// Asks it to end.
  @discardableResult
  func stop() async throws -> Sightings {
    if seen.value.exit == nil { _ = kill(pid, SIGTERM) }
    return try await waitForEnd()
  }

  func waitForEnd() async throws -> Sightings {
    try await seen.wait("the end of \(path)") { $0.exit != nil }
  }

  /// Waits until its lines are as wanted.
  ///
  /// - Throws: With what it wrote, when it ends instead.
  @discardableResult
  func waitForLines(
    _ what: String,
    until condition: @escaping @Sendable ([String]) -> Bool
  ) async throws -> [String] {
    let seen: Sightings
    do {
      seen = try await self.seen.wait(what) { condition($0.lines) || $0.exit != nil }
    } catch {
      let soFar = self.seen.value
      throw WaitingFailure(description: "\(error); it wrote: \(soFar.output)\(soFar.errors)")
    }
    guard condition(seen.lines) else {
      throw WaitingFailure(description: "no \(what), it ended: \(seen.output)\(seen.errors)")
    }
    return seen.lines
  }

  /// Waits until it has written a text to its standard error.
  ///
  /// - Throws: With what it wrote, when it ends instead.
  func waitForErrors(_ text: String) async throws {
    let seen = try await seen.wait("'\(text)'") { $0.errors.contains(text) || $0.exit != nil }
    guard seen.errors.contains(text) else {
      throw WaitingFailure(description: "no '\(text)', it ended: \(seen.output)\(seen.errors)")
    }
  }

  private static func read(
    _ descriptor: Int32,
    into seen: Observed<Sightings>,
    _ append: @escaping @Sendable (inout Sightings, [UInt8]) -> Void
  ) {
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        let bytes = Array(buffer[..<count])
        seen.update { append(&$0, bytes) }
      }
      close(descriptor)
      seen.update { $0.endedPipes += 1 }
    }
  }
}
