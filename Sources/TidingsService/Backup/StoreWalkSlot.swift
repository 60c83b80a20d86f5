internal import Synchronization
internal import TidingsRPC

/// Lets one backup or check run at a time: each reads the whole store.
final class StoreWalkSlot: Sendable {
  private struct State {
    var isTaken = false
    var isStopping = false
    /// Ends the one that runs.
    var end: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Begins one.
  ///
  /// - Throws: `RPCError` when another one runs, or the server is stopping.
  func enter() throws(RPCError) {
    let refusal: RPCError? = state.withLock { state in
      if state.isStopping { return .storeWalkStopping }
      guard !state.isTaken else { return .storeWalkRunning }
      state.isTaken = true
      return nil
    }
    if let refusal { throw refusal }
  }

  /// It has ended.
  func leave() {
    state.withLock { state in
      state.isTaken = false
      state.end = nil
    }
  }

  /// Sets what ends the one that has begun, when the server stops.
  func setEnd(_ end: @escaping @Sendable () -> Void) {
    let isStopping = state.withLock { state in
      state.end = end
      return state.isStopping
    }
    if isStopping { end() }
  }

  /// Whether the one that runs may continue.
  func check() throws(RPCError) {
    if state.withLock(\.isStopping) { throw .storeWalkStopping }
  }

  /// Ends the one that runs, and begins no other.
  func stop() {
    let end = state.withLock { state in
      state.isStopping = true
      return state.end
    }
    end?()
  }
}

extension RPCError {
  fileprivate static let storeWalkStopping = RPCError(.unavailable, "the server is stopping")
  /// Without a time to try again: it may take minutes, and people should know at once.
  fileprivate static let storeWalkRunning = RPCError(
    .resourceExhausted,
    "another backup or check of the store is running: try again when it has ended"
  )
}
