internal import Foundation
internal import Synchronization

/// A real `rpcd`, started by a test.
///
/// It is killed when its test ends (`EndsServers`), at the latest when the tests do (`ProcessGroup`), not when the last
/// reference goes: Swift may drop that as soon as it is no longer used, while clients still are.
public final class ServerProcess: Sendable {
  /// How a process ended.
  public enum Exit: Hashable, Sendable {
    case code(Int32)
    case signal(Int32)
  }

  /// What was seen of the process so far.
  public struct Sightings: Sendable {
    fileprivate(set) var outputBytes: [UInt8] = []
    fileprivate(set) var errorBytes: [UInt8] = []
    fileprivate var isRead = false
    fileprivate var exitStatus: Exit?
    fileprivate var signalsSent: Set<Int32> = []

    public var output: String { String(decoding: outputBytes, as: UTF8.self) }
    public var errors: String { String(decoding: errorBytes, as: UTF8.self) }
    /// Set when the process has ended and all that it wrote was read.
    public var exit: Exit? { isRead ? exitStatus : nil }

    fileprivate var readyLine: String? {
      let end = output.firstIndex(of: "\n")
      return end.map { String(output[..<$0]) }
    }

    /// The TCP ports that it says it is bound to.
    var ports: [UInt16] {
      (readyLine ?? "").split(separator: " ").filter { $0.contains("=tcp:") }.compactMap { word in
        word.split(separator: ":").last.flatMap { UInt16($0) }
      }
    }
  }

  public let seen: Observed<Sightings>
  private let program: String
  private let pid: pid_t

  /// One start at a time: descriptors of one must not be inherited by another.
  private static let starting = Mutex(())

  /// Starts the program with these arguments; returns at once.
  ///
  /// - Parameters:
  ///   - program: `rpcd`, or another program of ours that is to be killed with the test.
  ///   - arguments: Without the program's own name.
  ///   - descriptorsMax: How many it may have; `nil`: as many as this process.
  ///   - controlGroup: What bounds its memory; `nil`: it is in the group of this process.
  ///   - environment: Variables beside those of this process.
  /// - Throws: `WaitingFailure` when it cannot be started.
  public init(
    _ program: String = "rpcd",
    arguments: [String],
    descriptorsMax: Int? = nil,
    controlGroup: MemoryControlGroup? = nil,
    environment: [String: String] = [:]
  ) throws {
    try StartedServers.check()
    self.program = program
    let seen = Observed(Sightings())
    self.seen = seen
    let database =
      environment["RPCD_DATABASE"] == nil ? try ServerDatabase.environment(for: arguments) : [:]
    let environment = database.merging(environment) { $1 }
    let (pid, output, errors) = try Self.starting.withLock { _ in
      try Self.spawn(
        try Self.executablePath(program),
        arguments,
        preparations: [descriptorsMax.map { "ulimit -n \($0)" }, controlGroup?.joining]
          .compactMap(\.self),
        environment
      )
    }
    self.pid = pid
    StartedServers.ofTest?.insert(self)
    let readers = DispatchGroup()
    for (pipe, isOutput) in [(output, true), (errors, false)] {
      readers.enter()
      Thread.detachNewThread {
        Self.read(pipe, into: seen) {
          if isOutput { $0.outputBytes += $1 } else { $0.errorBytes += $1 }
        }
        readers.leave()
      }
    }
    Thread.detachNewThread {
      // The zombie stays until the exit is noted, so that no signal ever goes to another process.
      var info = siginfo_t()
      while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
      seen.update { seen in
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        let signal = status & 0x7f
        seen.exitStatus = signal == 0 ? .code((status >> 8) & 0xff) : .signal(signal)
      }
      // What reports a crash has the pipes too, and may not end.
      for pipe in [output, errors] { shutdown(pipe, Int32(SHUT_RD)) }
      readers.wait()
      for pipe in [output, errors] { close(pipe) }
      // A group with processes is not removed.
      withExtendedLifetime(controlGroup) {}
      let problem = seen.update { seen -> String? in
        seen.isRead = true
        guard case .signal(let signal) = seen.exitStatus, !seen.signalsSent.contains(signal) else {
          return nil
        }
        return "\(program) was ended by signal \(signal), and wrote: \(seen.errors)"
      }
      // A failure shows the logs, for which it takes the lock.
      if let problem { RunningTest.record(problem) }
    }
  }

  /// The program and the number of its process.
  var name: String { "\(program) (\(pid))" }

  /// Sends a signal, unless the process has ended.
  public func send(_ signal: Int32) {
    seen.update { [pid] seen in
      guard seen.exitStatus == nil else { return }
      seen.signalsSent.insert(signal)
      _ = kill(pid, signal)
    }
  }

  /// Lets the process stand still, and waits until all of its threads do.
  ///
  /// - Throws: `WaitingFailure` when it has ended.
  public func pause() throws {
    send(SIGSTOP)
    try blockUntil("\(name) to stand still") {
      var info = siginfo_t()
      // The system reports it once, when the last thread has stopped.
      guard waitid(P_PID, id_t(pid), &info, WSTOPPED | WNOHANG) == 0 else {
        throw WaitingFailure(description: "\(name) has ended: it cannot stand still")
      }
      return info.si_signo == SIGCHLD
    }
  }

  /// Lets it go on after `pause`.
  public func resume() { send(SIGCONT) }

  /// What the system reports the process in a file, for example `limits`.
  public func processFile(_ file: String) throws -> String {
    try String(contentsOfFile: "/proc/\(pid)/\(file)", encoding: .utf8)
  }

  /// The most memory that the process had so far, in bytes.
  public func memoryPeakBytes() throws -> Int {
    let line = try processFile("status").split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw WaitingFailure(description: "the system does not show the memory of \(pid)")
    }
    return kilobytes * 1024
  }

  /// Does not let the test fail if one of these signals ends it.
  public func expectEnd(by signals: [Int32]) {
    seen.update { $0.signalsSent.formUnion(signals) }
  }

  /// Lets it have no more memory than it has now, and so many bytes: what it asks for beyond is refused.
  ///
  /// - Throws: `WaitingFailure` when there is no `prlimit`.
  public func limitAddressSpace(toMore bytes: Int) throws {
    let pages = try processFile("statm").split(separator: " ").first.flatMap { Int($0) } ?? 0
    // A program in Swift traps when it gets no memory.
    expectEnd(by: [SIGABRT, SIGILL, SIGTRAP, SIGSEGV, SIGBUS])
    try limit("--as=\(pages * 4096 + bytes)")
  }

  /// Lets it open no more files and connections while it has so many.
  ///
  /// - Throws: `WaitingFailure` when there is no `prlimit`.
  public func limitDescriptors(to count: Int) throws { try limit("--nofile=\(count):") }

  private func limit(_ option: String) throws {
    guard let program = Executable.path("prlimit") else {
      throw WaitingFailure(description: "no prlimit: install util-linux")
    }
    let process = try Process.run(
      URL(fileURLWithPath: program),
      arguments: ["--pid", "\(pid)", option]
    )
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw WaitingFailure(description: "prlimit: \(process.terminationStatus)")
    }
  }

  /// Waits for the end.
  @discardableResult
  public func waitForExit() async throws -> Exit {
    let seen = try await seen.wait("the end of rpcd") { $0.exit != nil }
    return seen.exit ?? .code(-1)
  }

  /// Waits for the first line of output.
  ///
  /// - Throws: With what it wrote to standard error, when the process ends instead.
  public func waitForReadyLine() async throws -> String {
    let seen = try await seen.wait("rpcd to be ready") { $0.readyLine != nil || $0.exit != nil }
    guard let line = seen.readyLine else {
      throw WaitingFailure(description: "rpcd did not start: \(seen.errors)")
    }
    return line
  }

  private static func read(
    _ descriptor: Int32,
    into seen: Observed<Sightings>,
    _ append: @escaping @Sendable (inout Sightings, [UInt8]) -> Void
  ) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      let bytes = Array(buffer[..<count])
      seen.update { append(&$0, bytes) }
    }
  }

  /// `TIDINGS_RPCD`, or what was built beside these tests.
  private static func executablePath(_ program: String) throws -> String {
    if program == "rpcd", let path = ProcessInfo.processInfo.environment["TIDINGS_RPCD"] {
      return path
    }
    let packageRoot = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let candidates = [
      beside.appendingPathComponent(program).path,
      packageRoot.appendingPathComponent(".build/release/\(program)").path,
    ]
    guard let path = candidates.first(where: FileManager.default.isExecutableFile) else {
      throw WaitingFailure(description: "\(program) is not built: looked at \(candidates)")
    }
    return path
  }

  private static func spawn(
    _ path: String,
    _ arguments: [String],
    preparations: [String],
    _ environment: [String: String]
  ) throws
    -> (pid: pid_t, output: Int32, errors: Int32)
  {
    let (output, errors) = (try ProcessGroup.makePipe(), try ProcessGroup.makePipe())
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output.write, 1)
    posix_spawn_file_actions_adddup2(&actions, errors.write, 2)
    ProcessGroup.closeInherited(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    try ProcessGroup.enter(&attributes)

    // Only a shell does something between the two processes.
    let script = (["set -e"] + preparations + ["exec \"$0\" \"$@\""]).joined(separator: "; ")
    let shell = preparations.isEmpty ? [] : ["/bin/sh", "-c", script]
    let command = shell + [path] + arguments
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    // The environment of the tests must not set options.
    var variables: [UnsafeMutablePointer<CChar>?] =
      ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("RPCD_") }
      .merging(environment) { $1 }
      .map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var pid = pid_t()
    let code = posix_spawn(&pid, command[0], &actions, &attributes, &words, &variables)
    close(output.write)
    close(errors.write)
    guard code == 0 else {
      throw WaitingFailure(description: "cannot start \(path): \(String(cString: strerror(code)))")
    }
    return (pid, output.read, errors.read)
  }
}
