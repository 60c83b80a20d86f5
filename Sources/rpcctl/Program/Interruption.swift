internal import Dispatch
internal import Glibc
internal import Synchronization

/// The run was interrupted and cleaned up.
struct Interrupted: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String
  init(_ description: String = "interrupted") { self.description = description }
}

/// The handler of SIGINT: it ends the process, or cancels a verb that has to clean up.
final class Interruption {
  /// Longest time that a cancelled verb may take.
  private static let pause = DispatchTimeInterval.seconds(2)

  private static let cancelsTask = Mutex(false)

  /// Makes SIGINT cancel the program's task; a second SIGINT ends the process.
  static func enableCancellation() { cancelsTask.withLock { $0 = true } }

  private static let isIgnored = Mutex(false)

  /// Ignores SIGINT while another program has the terminal.
  static func whileIgnored<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    isIgnored.withLock { $0 = true }
    defer { isIgnored.withLock { $0 = false } }
    return try await body()
  }

  private static let diverted = Mutex<(@Sendable () -> Void)?>(nil)

  /// Makes SIGINT call an action only; `nil` restores the default.
  static func divert(to action: (@Sendable () -> Void)?) { diverted.withLock { $0 = action } }

  private let source: any DispatchSourceSignal

  /// Starts handling SIGINT; `cancel` is called at most once.
  init(cancel: @escaping @Sendable () -> Void) {
    signal(SIGINT, SIG_IGN)
    // A queue of its own: reading a file may block the shared ones.
    let queue = DispatchQueue(label: "SIGINT")
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: queue)
    source.setEventHandler {
      if Self.isIgnored.withLock({ $0 }) { return }
      if let action = Self.diverted.withLock(\.self) { return action() }
      // Output is unbuffered: nothing is lost.
      guard Self.cancelsTask.withLock({ $0 }) else { _exit(ExitCode.interrupted.rawValue) }
      signal(SIGINT) { _ in _exit(ExitCode.interrupted.rawValue) }
      cancel()
      queue.asyncAfter(deadline: .now() + Self.pause) {
        _ = Output.writeAll(Array("rpcctl: interrupted\n".utf8), to: STDERR_FILENO)
        _exit(ExitCode.interrupted.rawValue)
      }
    }
    source.resume()
  }
}
