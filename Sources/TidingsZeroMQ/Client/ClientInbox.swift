internal import Synchronization
internal import TidingsThreads

/// Messages from tasks to a client's loop, whose thread is woken only while it waits.
final class ClientInbox: Sendable {
  private struct State {
    var messages: [ClientMessage] = []
    var isWaiting = false
    var isClosed = false
  }

  private let state = Mutex(State())
  private let wakeUp = WakeUpEvent()

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

  /// Wakes the thread if it waits; once.
  func wake() {
    let isWaiting = state.withLock { state in
      defer { state.isWaiting = false }
      return state.isWaiting
    }
    if isWaiting { wakeUp.signal() }
  }

  /// Takes everything.
  func takeAll() -> [ClientMessage] {
    state.withLock { state in
      state.isWaiting = false
      if state.messages.isEmpty { return [] }
      let messages = state.messages
      state.messages = []
      state.messages.reserveCapacity(messages.count)
      return messages
    }
  }

  /// Called by the thread before it waits for the descriptor.
  ///
  /// - Returns: `false` when there is something to take instead.
  func beginWaiting() -> Bool {
    state.withLock { state in
      state.isWaiting = state.messages.isEmpty
      return state.isWaiting
    }
  }

  /// Called by the thread when the descriptor was readable.
  func clear() { wakeUp.clear() }

  /// Takes everything, and lets nothing in any more.
  func close() -> [ClientMessage] {
    state.withLock { state in
      state.isClosed = true
      defer { state.messages = [] }
      return state.messages
    }
  }
}
