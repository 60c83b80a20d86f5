internal import Synchronization
public import TidingsRPC

/// Lets a test see what a service does, and wait for it.
public final class Probe: Sendable {
  /// What was seen.
  public struct Sightings: Sendable {
    /// Calls that began.
    public var started = 0
    /// Calls that were notified of their cancellation.
    public var cancelled = 0
    /// Messages of streams that were handed over.
    public var written = 0
    /// Messages that a reader says it took.
    public var consumed = 0
    /// The most by which the writer was ahead of the reader.
    public var aheadMax = 0
    /// Calls of `Sized`.
    public var executed = 0
    /// For whoever tests how servers stop.
    public var stopping = 0
    /// `Hold` answers.
    public var isReleased = false
    /// That of the newest call.
    public var seenMetadata = Metadata()
  }

  private struct State {
    var sightings = Sightings()
    var waiting: [(condition: @Sendable (Sightings) -> Bool, CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  /// A probe that saw nothing.
  public init() {}

  /// What was seen so far.
  public var sightings: Sightings { state.withLock { $0.sightings } }

  /// Notes something.
  public func note(_ change: @Sendable (inout Sightings) -> Void) {
    let ready = state.withLock { state in
      change(&state.sightings)
      var ready: [CheckedContinuation<Void, Never>] = []
      state.waiting.removeAll { condition, continuation in
        guard condition(state.sightings) else { return false }
        ready.append(continuation)
        return true
      }
      return ready
    }
    for continuation in ready { continuation.resume() }
  }

  /// Waits until a condition on what was seen holds.
  public func wait(until condition: @escaping @Sendable (Sightings) -> Bool) async {
    await withCheckedContinuation { continuation in
      let holds = state.withLock { state in
        if condition(state.sightings) { return true }
        state.waiting.append((condition, continuation))
        return false
      }
      if holds { continuation.resume() }
    }
  }
}
