internal import Synchronization

/// Lets any number pass together, or one alone; who waits passes in the order of coming.
public final class SharedGate: Sendable {
  private struct Waiter {
    let isAlone: Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var inside = 0
    var isTakenAlone = false
    var waiters: [Waiter] = []

    mutating func takeReady() -> [Waiter] {
      var ready: [Waiter] = []
      while let first = waiters.first, !isTakenAlone, !first.isAlone || inside == 0 {
        ready.append(waiters.removeFirst())
        inside += 1
        isTakenAlone = first.isAlone
      }
      return ready
    }
  }

  private let state = Mutex(State())

  public init() {}

  /// Runs the body while others may.
  public func together<R>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> R
  ) async rethrows -> R {
    await enter(alone: false)
    defer { leave() }
    return try await body()
  }

  /// Runs the body while nobody else does.
  public func alone<R>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> R
  ) async rethrows -> R {
    await enter(alone: true)
    defer { leave() }
    return try await body()
  }

  private func enter(alone: Bool) async {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state in
        state.waiters.append(Waiter(isAlone: alone, continuation: continuation))
        return state.takeReady()
      }
      for waiter in ready { waiter.continuation.resume() }
    }
  }

  private func leave() {
    let ready = state.withLock { state in
      state.inside -= 1
      state.isTakenAlone = false
      return state.takeReady()
    }
    for waiter in ready { waiter.continuation.resume() }
  }
}
