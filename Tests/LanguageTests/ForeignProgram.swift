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
  private let process: Process

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The program.
  ///   - arguments: Without its name.
  ///   - environment: What is added to that of the tests.
  ///   - folder: Where it runs.
  /// - Throws: When it cannot be started.
  init(
    _ path: String,
    _ arguments: [String] = [],
    environment: [String: String] = [:],
    in folder: String? = nil
  ) throws {
    let seen = Observed(Sightings())
    self.seen = seen
    process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment
      .filter { !$0.key.hasPrefix("TIDINGS_") && !$0.key.hasPrefix("RPCCTL_") }
      .merging(environment) { $1 }
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    process.terminationHandler = { process in
      let code = process.terminationStatus
      let isSignal = process.terminationReason == .uncaughtSignal
      seen.update { $0.code = isSignal ? -code : code }
    }
    try Self.withoutBlockedSignals { try process.run() }
    Self.read(output, into: seen) { $0.outputBytes += $1 }
    Self.read(errors, into: seen) { $0.errorBytes += $1 }
  }

  /// Threads of tasks take no signals, and what they start inherits that.
  private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }

  /// Runs a program to its end.
  static func run(
    _ path: String,
    _ arguments: [String] = [],
    environment: [String: String] = [:],
    in folder: String? = nil
  ) async throws -> Sightings {
    let program = try ForeignProgram(path, arguments, environment: environment, in: folder)
    return try await program.waitForEnd()
  }

  /// Asks it to end.
  @discardableResult
  func stop() async throws -> Sightings {
    process.terminate()
    return try await waitForEnd()
  }

  func waitForEnd() async throws -> Sightings {
    try await seen.wait("the end of \(process.executableURL?.path ?? "")") { $0.exit != nil }
  }

  /// Waits until its lines are as wanted.
  ///
  /// - Throws: With what it wrote to standard error, when it ends instead.
  @discardableResult
  func waitForLines(
    _ what: String,
    until condition: @escaping @Sendable ([String]) -> Bool
  ) async throws -> [String] {
    let seen = try await seen.wait(what) { condition($0.lines) || $0.exit != nil }
    guard condition(seen.lines) else {
      throw WaitingFailure(description: "no \(what), it ended: \(seen.output)\(seen.errors)")
    }
    return seen.lines
  }

  private static func read(
    _ pipe: Pipe,
    into seen: Observed<Sightings>,
    _ append: @escaping @Sendable (inout Sightings, [UInt8]) -> Void
  ) {
    Thread.detachNewThread {
      while true {
        let data = pipe.fileHandleForReading.availableData
        if data.isEmpty { break }
        seen.update { append(&$0, Array(data)) }
      }
      seen.update { $0.endedPipes += 1 }
    }
  }
}
