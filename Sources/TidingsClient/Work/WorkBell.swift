internal import Synchronization

/// Wakes one task that waits for something to do.
final class WorkBell: Sendable {
  private struct State {
    var isRung = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// There may be something to do: wakes the task, now or when it waits next.
  func ring() {
    let waiter = state.withLock { state in
      state.isRung = state.waiter == nil
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// What rang until now is looked at by the caller.
  func silence() { state.withLock { $0.isRung = false } }

  /// Waits until it is rung, a time has passed, or the task is cancelled.
  func wait(for time: Duration) async {
    let alarm = Task { [weak self] in
      try await Task.sleep(for: time)
      self?.ring()
    }
    defer { alarm.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isRung = state.withLock { state in
          if state.isRung || Task.isCancelled { return true }
          state.waiter = continuation
          return false
        }
        if isRung { continuation.resume() }
      }
    } onCancel: {
      ring()
    }
    silence()
  }
}
