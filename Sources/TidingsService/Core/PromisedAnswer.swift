internal import Synchronization
internal import TidingsRPC

/// What a task waits for: given once, or refused when whoever was to give it is gone.
///
/// A loop that ends drops what waits for it, wherever that waits; no task is to wait for it forever.
final class PromisedAnswer<Value: Sendable>: Sendable {
  private let waiting: Mutex<CheckedContinuation<Value, any Error>?>

  private init(_ waiting: CheckedContinuation<Value, any Error>) { self.waiting = Mutex(waiting) }

  deinit { give(.failure(RPCError(.unavailable, "the server is stopping"))) }

  /// Gives the value, or why there is none; only the first one counts.
  func give(_ result: Result<Value, any Error>) {
    let waiting = waiting.withLock { $0.take() }
    waiting?.resume(with: result)
  }

  /// Waits for a value.
  ///
  /// - Parameter ask: Lets somebody give it; who keeps the promise no longer has refused it.
  /// - Returns: The value.
  /// - Throws: Why there is none.
  static func wait(_ ask: (PromisedAnswer) -> Void) async throws -> Value {
    try await withCheckedThrowingContinuation { ask(PromisedAnswer($0)) }
  }
}
