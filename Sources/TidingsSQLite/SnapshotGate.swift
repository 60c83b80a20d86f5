internal import Synchronization
internal import TidingsThreads

/// Lets readers take snapshots, but not while the log has to be restarted: that needs a moment
/// without any.
public final class SnapshotGate: Sendable {
  private struct State {
    var open = 0
    var isClosed = false
    var mustEnd = false
    /// Readers that wait for the gate.
    var waiting = 0
    /// The checkpointer waits for the last snapshot's end.
    var isAwaited = false
  }

  private let state = Mutex(State())
  private let opened = Semaphore()
  private let drained = Semaphore()

  /// A gate that is open.
  public init() {}

  /// A snapshot begins; waits while the gate is closed.
  public func enter() {
    while true {
      let isIn = state.withLock { state in
        if state.isClosed { state.waiting += 1 } else { state.open += 1 }
        return !state.isClosed
      }
      if isIn { return }
      opened.wait()
    }
  }

  /// A snapshot begins, unless the gate is closed: for the thread that the checkpointer waits for.
  ///
  /// - Returns: Whether it begins.
  public func enterIfOpen() -> Bool {
    state.withLock { state in
      if !state.isClosed { state.open += 1 }
      return !state.isClosed
    }
  }

  /// A snapshot has ended.
  public func leave() {
    let wakes = state.withLock { state in
      precondition(state.open > 0, "a snapshot that has not begun cannot end")
      state.open -= 1
      defer { if state.open == 0 { state.isAwaited = false } }
      return state.open == 0 && state.isAwaited
    }
    if wakes { drained.signal() }
  }

  /// Whether snapshots are to end soon, with an error if need be.
  public var mustEnd: Bool { state.withLock(\.mustEnd) }

  /// From now on new snapshots wait.
  func close() { state.withLock { $0.isClosed = true } }

  /// New snapshots wait no longer.
  func open() {
    let waiting = state.withLock { state in
      state.isClosed = false
      state.mustEnd = false
      defer { state.waiting = 0 }
      return state.waiting
    }
    for _ in 0..<waiting { opened.signal() }
  }

  /// Snapshots that are open are to end.
  func endSnapshots() { state.withLock { $0.mustEnd = true } }

  /// Waits until no snapshot is open.
  ///
  /// - Returns: Whether there is none.
  func drain(until deadline: ContinuousClock.Instant) -> Bool {
    while true {
      let isClear = state.withLock { state in
        state.isAwaited = state.open > 0
        return state.open == 0
      }
      if isClear { return true }
      let rest = ContinuousClock.now.duration(to: deadline)
      // A signal that is left from an earlier wait costs one more look.
      if rest <= .zero || !drained.wait(for: rest) {
        return state.withLock { state in
          state.isAwaited = false
          return state.open == 0
        }
      }
    }
  }
}
