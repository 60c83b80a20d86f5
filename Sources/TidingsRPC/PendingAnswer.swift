internal import Synchronization

/// The first of several possible answers to a call, for the one task that waits for it.
package final class PendingAnswer: Sendable {
  /// A response's bytes, or why there is none.
  package typealias Answer = Result<[UInt8], RPCError>

  // Unsafe, which saves an allocation: only the change from `awaited` to `resolved`, which is made once, or
  // `value`, which finds `resolved`, resumes it.
  private enum State {
    case open
    case awaited(UnsafeContinuation<Answer, Never>)
    case resolved(Answer)
  }

  private let state = Mutex(State.open)

  /// An answer that is not known yet.
  package init() {}

  /// Gives the answer; only the first counts.
  ///
  /// - Returns: Whether this was the first.
  @discardableResult
  package func resolve(_ answer: Answer) -> Bool {
    let (first, continuation) = state.withLock {
      state -> (Bool, UnsafeContinuation<Answer, Never>?) in
      switch state {
      case .resolved: return (false, nil)
      case .open:
        state = .resolved(answer)
        return (true, nil)
      case .awaited(let continuation):
        state = .resolved(answer)
        return (true, continuation)
      }
    }
    continuation?.resume(returning: answer)
    return first
  }

  /// Waits for the answer; to be called once.
  package func value() async -> Answer {
    await withUnsafeContinuation { continuation in
      let answer = state.withLock { state -> Answer? in
        if case .resolved(let answer) = state { return answer }
        state = .awaited(continuation)
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }
}
