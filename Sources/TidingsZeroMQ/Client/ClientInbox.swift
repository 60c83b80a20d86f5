internal import Synchronization
internal import TidingsThreads

/// Messages from tasks to a client's loop, whose thread is woken only while it waits.
final class ClientInbox: Sendable {
  private struct State {
    var messages: [ClientMessage] = []
    var isWaiting = false
    /// It was to be woken, and did not wait.
    var isWanted = false
    var isClosed = false
  }

  private let state = Mutex(State())
  private let wakeUp = WakeUpEvent()
  private let connected = Atomic(false)

  /// Whether the loop had a connection when it looked last.
  var isConnected: Bool { connected.load(ordering: .relaxed) }

  /// Called by the loop when it has looked.
  func note(isConnected: Bool) { connected.store(isConnected, ordering: .relaxed) }

  /// Readable after `wake`; to be polled.
  var descriptor: CInt { wakeUp.descriptor }

  /// Adds a message; somebody must take it, or wake the thread.
  ///
  /// - Returns: `false` when the inbox is closed; the message was not taken.
  func add(_ message: ClientMessage) -> Bool {
    state.withLock { state in
      if state.isClosed { return false }
      state.messages.append(message)
      return true
    }
  }

  /// Wakes the thread, for whatever it is to do; if it does not wait, it will not begin to before it has looked.
  func wake() {
    state.withLock { state in
      guard state.isWaiting else {
        state.isWanted = true
        return
      }
      state.isWaiting = false
      // Not later: the thread, woken by something else, would clear the event before it is there.
      wakeUp.signal()
    }
  }

  /// Takes everything.
  func takeAll() -> [ClientMessage] {
    state.withLock { state in
      if state.messages.isEmpty { return [] }
      let messages = state.messages
      state.messages = []
      state.messages.reserveCapacity(messages.count)
      return messages
    }
  }

  /// Called by the thread before it waits for the descriptor.
  ///
  /// - Returns: `false` when it is to look for something to do instead.
  func beginWaiting() -> Bool {
    state.withLock { state in
      state.isWaiting = state.messages.isEmpty && !state.isWanted
      state.isWanted = false
      return state.isWaiting
    }
  }

  /// Called by the thread when it has waited.
  func endWaiting() {
    let isWoken = state.withLock { state in
      defer { state.isWaiting = false }
      return !state.isWaiting
    }
    if isWoken { wakeUp.clear() }
  }

  /// Takes everything, and lets nothing in any more.
  func close() -> [ClientMessage] {
    state.withLock { state in
      state.isClosed = true
      defer { state.messages = [] }
      return state.messages
    }
  }
}
