internal import Synchronization

/// Holds a stream's writer back until its client has credit; the lock around a `CreditWindow`.
///
/// A writer with credit passes without a thread change. Waiting writers pass in their order.
package final class StreamGate: Sendable {
  private typealias Passage = Result<Void, RPCError>

  private struct State {
    var window: CreditWindow
    var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Passage, Never>)] = []
    var nextTicket: UInt64 = 0
    var closed: RPCError?

    /// The answer to a writer that comes now; `nil`: it must wait.
    mutating func tryPassing() -> Passage? {
      if let closed { return .failure(closed) }
      return waiting.isEmpty && window.take() ? .success(()) : nil
    }
  }

  private let state: Mutex<State>

  /// A gate with a stream's first credit; 0 counts as the default.
  package init(requested: UInt32) {
    state = Mutex(State(window: CreditWindow(requested: requested)))
  }

  /// Uses one credit; waits for it.
  ///
  /// - Throws: What the gate was closed with, or `cancelled` when the writer's task is.
  package func pass() async throws(RPCError) {
    let (ticket, answer) = state.withLock { state -> (UInt64, Passage?) in
      state.nextTicket += 1
      return (state.nextTicket, state.tryPassing())
    }
    if let answer { return try answer.get() }
    let passage = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Passage? in
          if Task.isCancelled { return .failure(RPCError(.cancelled, "the writer was cancelled")) }
          if let answer = state.tryPassing() { return answer }
          state.waiting.append((ticket, continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let continuation = state.withLock { state -> CheckedContinuation<Passage, Never>? in
        guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else {
          return nil
        }
        return state.waiting.remove(at: index).continuation
      }
      continuation?.resume(returning: .failure(RPCError(.cancelled, "the writer was cancelled")))
    }
    try passage.get()
  }

  /// Adds credit and lets waiting writers pass.
  package func grant(_ count: Int) {
    let passing = state.withLock { state in
      state.window.grant(count)
      var passing: [CheckedContinuation<Passage, Never>] = []
      while !state.waiting.isEmpty, state.window.take() {
        passing.append(state.waiting.removeFirst().continuation)
      }
      return passing
    }
    for continuation in passing { continuation.resume(returning: .success(())) }
  }

  /// Lets nobody pass any more; the first reason stands.
  package func close(_ reason: RPCError) {
    let waiting = state.withLock { state in
      if state.closed == nil { state.closed = reason }
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiter in waiting { waiter.continuation.resume(returning: .failure(reason)) }
  }
}
