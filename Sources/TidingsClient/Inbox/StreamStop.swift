internal import Synchronization
internal import TidingsZeroMQ

/// Ends a stream from another task, and is notified of pages that moved it though nothing was yielded.
final class StreamStop: Sendable {
  private struct State {
    var isStopped = false
    var pushes: SubscriberConnection?
  }

  private let state = Mutex(State())
  private let onPage: @Sendable (InboxProgress) -> Void

  init(onPage: @escaping @Sendable (InboxProgress) -> Void = { _ in }) { self.onPage = onPage }

  /// A page of the log came.
  func fetched(_ progress: InboxProgress) { onPage(progress) }

  /// The stream yields nothing more.
  var isStopped: Bool { state.withLock(\.isStopped) }

  /// The stream waits for this connection from now on.
  func watch(_ pushes: SubscriberConnection) {
    let isStopped = state.withLock { state in
      state.pushes = pushes
      return state.isStopped
    }
    if isStopped { Task { await pushes.close() } }
  }

  /// Ends the stream, without waiting for its connection.
  func refuse() {
    let pushes = state.withLock { state in
      state.isStopped = true
      return state.pushes
    }
    if let pushes { Task { await pushes.close() } }
  }

  /// Ends the stream; one that waits for a push is woken.
  func stop() async {
    let pushes = state.withLock { state in
      state.isStopped = true
      return state.pushes
    }
    await pushes?.close()
  }
}
