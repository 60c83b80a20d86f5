internal import Synchronization

/// Bytes that are sent to a client as they come: bounded, so that a client that does not read ends its stream.
package final class HTTPStream: Sendable {
  private struct State {
    var pending: [UInt8] = []
    var isEnded = false
    /// The client is gone, or did not read.
    var isClosed = false
    var onClose: (@Sendable () -> Void)?
    /// Waits until all was taken.
    var emptied: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  private let pendingBytesMax: Int
  /// A server that stops does not let it come to its end.
  let endsBeforeOthers: Bool
  let connection = ConnectionExecutor()
  /// Runs the task that fills the stream on the thread that sends it, once the head was sent.
  package var executor: any TaskExecutor { connection }

  package init(pendingBytesMax: Int, endsBeforeOthers: Bool = true) {
    (self.pendingBytesMax, self.endsBeforeOthers) = (pendingBytesMax, endsBeforeOthers)
  }

  /// Adds bytes.
  ///
  /// - Returns: `false`: nobody reads them any more, or too much is unread: the stream is closed.
  @discardableResult
  package func send(_ bytes: some Collection<UInt8>) -> Bool {
    add(bytes, pendingBytesMax: pendingBytesMax)
  }

  private func add(_ bytes: some Collection<UInt8>, pendingBytesMax: Int) -> Bool {
    let isOpen = state.withLock { state in
      guard !state.isClosed, !state.isEnded else { return false }
      if state.pending.count + bytes.count > pendingBytesMax {
        state.isEnded = true
      } else {
        state.pending += bytes
      }
      return !state.isEnded
    }
    connection.wake()
    return isOpen
  }

  /// Adds bytes when those before were taken, however many they are; for one task.
  ///
  /// - Returns: `false`: nobody reads them any more.
  package func sendWhenRead(_ bytes: [UInt8]) async -> Bool {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        let isFree = state.pending.isEmpty || state.isClosed
        if !isFree { state.emptied = continuation }
        return isFree
      }
      if isFree { continuation.resume() }
    }
    // A client that reads slowly is not one that does not read.
    return add(bytes, pendingBytesMax: .max)
  }

  /// Adds bytes that say only that the stream is there, if nothing else is unread.
  ///
  /// - Returns: As `send`.
  package func sendIfQuiet(_ bytes: [UInt8]) -> Bool {
    let isQuiet = state.withLock { $0.pending.isEmpty }
    return isQuiet ? send(bytes) : true
  }

  /// No more bytes come.
  package func end() {
    state.withLock { $0.isEnded = true }
    connection.wake()
  }

  /// No more bytes come, and those that are unread are discarded.
  ///
  /// - Parameter lastBytes: Sent if nothing is unread: behind a part of something they would be read as its rest.
  package func end(discardingUnreadOr lastBytes: [UInt8]) {
    let emptied = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.isClosed else { return nil }
      state.pending = state.pending.isEmpty && !state.isEnded ? lastBytes : []
      state.isEnded = true
      return state.emptied.take()
    }
    emptied?.resume()
    connection.wake()
  }

  /// Calls a closure when the client is gone; at once, if it is.
  package func onClose(_ body: @escaping @Sendable () -> Void) {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.onClose = body }
      return state.isClosed
    }
    if isClosed { body() }
  }

  // MARK: For the connection

  enum Portion {
    case bytes(Int)
    case end
    /// Nothing yet: the connection is suspended until there is.
    case waits
    /// Nothing yet, but the task that fills the stream can go on.
    case runs
  }

  /// Takes bytes, or suspends the connection until there are more.
  func take(
    into buffer: UnsafeMutableRawBufferPointer,
    orSuspend connection: OpaquePointer
  ) -> Portion {
    let (portion, emptied) = state.withLock {
      state -> (Portion, CheckedContinuation<Void, Never>?) in
      if !state.pending.isEmpty {
        let count = min(buffer.count, state.pending.count)
        state.pending.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[..<count])) }
        state.pending.removeFirst(count)
        guard state.pending.isEmpty else { return (.bytes(count), nil) }
        return (.bytes(count), state.emptied.take())
      }
      if state.isEnded { return (.end, nil) }
      // Under the lock: whoever adds bytes wakes the connection, or the bytes are found here.
      return (self.connection.suspend(connection) ? .waits : .runs, nil)
    }
    emptied?.resume()
    return portion
  }

  func close() {
    let (body, emptied) = state.withLock { state in
      (state.isClosed, state.pending) = (true, [])
      return (state.onClose.take(), state.emptied.take())
    }
    connection.abandon()
    emptied?.resume()
    body?()
  }
}

/// Content that is read while it is sent.
package struct HTTPChunks: Sendable {
  /// Gives the next bytes; none: the content ends here.
  package let next: @Sendable () async -> [UInt8]

  package init(_ next: @escaping @Sendable () async -> [UInt8]) { self.next = next }
}
