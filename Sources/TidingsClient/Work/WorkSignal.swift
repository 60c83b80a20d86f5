internal import Synchronization

/// Wakes one task that waits for something to do.
final class WorkSignal: Sendable {
  private struct State {
    var isRaised = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// There may be something to do: wakes the task, now or when it waits next.
  func raise() {
    let waiter = state.withLock { state in
      state.isRaised = state.waiter == nil
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// The caller looks at what was signalled until now.
  func lower() { state.withLock { $0.isRaised = false } }

  /// Waits until it is raised, a time has passed, or the task is cancelled.
  func wait(for time: Duration) async {
    let alarm = Task { [weak self] in
      try await Task.sleep(for: time)
      self?.raise()
    }
    defer { alarm.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isRaised = state.withLock { state in
          if state.isRaised || Task.isCancelled { return true }
          state.waiter = continuation
          return false
        }
        if isRaised { continuation.resume() }
      }
    } onCancel: {
      raise()
    }
    lower()
  }
}
