internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The run was interrupted, and what it leaves is in order.
struct Interrupted: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String
  init(_ description: String = "interrupted") { self.description = description }
}

/// What SIGINT does: it ends the program at once, or cancels a verb that has something to keep.
final class Interruption {
  /// How long a verb may take to keep what it has.
  private static let pause = DispatchTimeInterval.seconds(2)

  private static let isAwaited = Mutex(false)

  /// From now on SIGINT cancels the program's task; a second one still ends it at once.
  static func heed() { isAwaited.withLock { $0 = true } }

  private static let isIgnored = Mutex(false)

  /// SIGINT does nothing meanwhile: another program has the terminal.
  static func whileIgnored<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    isIgnored.withLock { $0 = true }
    defer { isIgnored.withLock { $0 = false } }
    return try await body()
  }

  private static let diverted = Mutex<(@Sendable () -> Void)?>(nil)

  /// From now on SIGINT does this, and ends nothing; `nil`: as before.
  static func divert(to action: (@Sendable () -> Void)?) { diverted.withLock { $0 = action } }

  private let source: any DispatchSourceSignal

  /// Begins to listen; `cancel` is called at most once.
  init(cancel: @escaping @Sendable () -> Void) {
    signal(SIGINT, SIG_IGN)
    // A queue of its own: the shared ones may be held up by a file that is read.
    let queue = DispatchQueue(label: "SIGINT")
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: queue)
    source.setEventHandler {
      if Self.isIgnored.withLock({ $0 }) { return }
      if let action = Self.diverted.withLock(\.self) { return action() }
      // What is printed is written at once, so that nothing is lost.
      guard Self.isAwaited.withLock({ $0 }) else { _exit(ExitCode.interrupted.rawValue) }
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
