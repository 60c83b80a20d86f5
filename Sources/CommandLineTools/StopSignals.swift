internal import Dispatch
internal import Glibc

/// Waits for SIGINT or SIGTERM; a further one, of either, ends the process at once.
public final class StopSignals: Sendable {
  /// Why the wait is over.
  public enum Outcome: Sendable {
    /// A signal came.
    case signal(String)
    /// There is nothing to wait for any more.
    case failure(String)
  }

  private let outcomes: AsyncStream<Outcome>
  private let continuation: AsyncStream<Outcome>.Continuation

  /// From now on signals are taken.
  public init() {
    (outcomes, continuation) = AsyncStream<Outcome>.makeStream()
    for (number, name) in [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM")] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [continuation] in
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        continuation.yield(.signal(name))
        // Holds the source until then: nobody else does.
        source.cancel()
      }
      source.resume()
    }
  }

  /// Ends the wait as a signal would.
  public func stop(because reason: String) { continuation.yield(.signal(reason)) }

  /// Ends the wait without a signal.
  public func give(up reason: String) { continuation.yield(.failure(reason)) }

  /// Waits.
  public func next() async -> Outcome {
    for await outcome in outcomes { return outcome }
    return .failure("nothing to wait for")
  }
}
