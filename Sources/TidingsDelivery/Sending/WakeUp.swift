internal import Synchronization

/// Wakes one task that waits; raised while none does, it wakes the next one.
final class WakeUp: Sendable {
  private struct State {
    var isRaised = false
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  func raise() {
    let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      guard !state.waiting.isEmpty else {
        state.isRaised = true
        return []
      }
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for waiting in woken { waiting.resume() }
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let isRaised = state.withLock { state in
        guard !state.isRaised else {
          state.isRaised = false
          return true
        }
        state.next += 1
        state.waiting[state.next] = continuation
        return false
      }
      if isRaised { continuation.resume() }
    }
  }
}
