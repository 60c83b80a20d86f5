internal import Synchronization

/// A condition that did not come true in time.
public struct WaitingFailure: Error, CustomStringConvertible {
  public let description: String

  public init(description: String) { self.description = description }
}

/// A value that tests wait on.
///
/// A condition is looked at whenever the value changes, never by the clock. The deadline only ends a wait that would last without end.
public final class Observed<Value: Sendable>: Sendable {
  private struct Waiter {
    let condition: @Sendable (Value) -> Bool
    let continuation: CheckedContinuation<Value?, Never>
  }

  private struct State {
    var value: Value
    var waiters: [UInt64: Waiter] = [:]
    var nextID: UInt64 = 0
  }

  private let state: Mutex<State>

  public init(_ value: Value) { state = Mutex(State(value: value)) }

  public var value: Value { state.withLock { $0.value } }

  /// Changes the value, and wakes those whose condition holds now.
  @discardableResult
  public func update<R: Sendable>(_ change: @Sendable (inout Value) throws -> R) rethrows -> R {
    let (result, value, ready) = try state.withLock { state in
      let result = try change(&state.value)
      let value = state.value
      let ready = state.waiters.filter { $0.value.condition(value) }
      for id in ready.keys { state.waiters[id] = nil }
      return (result, value, ready.map(\.value.continuation))
    }
    for continuation in ready { continuation.resume(returning: value) }
    return result
  }

  /// Waits until a condition holds.
  ///
  /// - Throws: `WaitingFailure` after the deadline, with what was waited for.
  @discardableResult
  public func wait(
    _ what: String,
    for deadline: Duration = .seconds(600),
    until condition: @escaping @Sendable (Value) -> Bool
  ) async throws -> Value {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let alarm = Task {
      // The deadline: whoever does not wait any more cancels it.
      try await Task.sleep(for: deadline)
      state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: nil)
    }
    defer { alarm.cancel() }
    let value = await withCheckedContinuation { continuation in
      let met: Value? = state.withLock { state in
        if condition(state.value) { return state.value }
        state.waiters[id] = Waiter(condition: condition, continuation: continuation)
        return nil
      }
      if let met { continuation.resume(returning: met) }
    }
    guard let value else {
      throw WaitingFailure(description: "waited \(deadline) for: \(what)")
    }
    return value
  }
}
