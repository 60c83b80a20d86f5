internal import Synchronization

/// Something that happens once, for tasks to wait for.
package final class OneTimeSignal: Sendable {
  private let state = Mutex((fired: false, waiting: [CheckedContinuation<Void, Never>]()))

  package init() {}

  package func fire() {
    let waiting = state.withLock { state in
      state.fired = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  package func wait() async {
    await withCheckedContinuation { continuation in
      let fired = state.withLock { state in
        if !state.fired { state.waiting.append(continuation) }
        return state.fired
      }
      if fired { continuation.resume() }
    }
  }
}
