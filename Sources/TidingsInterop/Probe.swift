internal import Synchronization
public import TidingsRPC

/// Lets a test see what a service does, and wait for it.
public final class Probe: Sendable {
  /// What was seen.
  public struct Sightings: Sendable {
    public var started = 0
    public var cancelled = 0
    public var written = 0
    public var consumed = 0
    public var aheadMax = 0
    public var executed = 0
    public var stopping = 0
    public var isReleased = false
    public var seenMetadata = Metadata()
  }

  private struct State {
    var sightings = Sightings()
    var waiting: [(condition: @Sendable (Sightings) -> Bool, CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  public init() {}

  public var sightings: Sightings { state.withLock { $0.sightings } }

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
