internal import Glibc
internal import Synchronization
internal import TidingsRPC
internal import TidingsThreads

/// Drives a client's loop: on a thread of its own, and on that of a caller who finds it idle.
///
/// A caller that waits for one call at a time would wake the thread only to have it send; so it sends itself, and
/// the thread waits for the answer. With more calls in flight the thread sends them in batches.
final class ClientDriver: Sendable {
  private let inbox: ClientInbox
  private let loop: Mutex<ClientLoop?>
  /// No call waits for an answer; only a hint.
  private let isIdle = Atomic(true)

  init(
    _ configuration: ConnectionConfiguration,
    _ clock: ConnectionClock,
    context: Context
  ) throws(TransportError) {
    let inbox = ClientInbox()
    self.inbox = inbox
    loop = Mutex(try ClientLoop(configuration, clock, context: context, inbox: inbox))
  }

  /// Whether there was a connection a moment ago.
  var isConnected: Bool { inbox.isConnected }

  /// Hands a message over.
  ///
  /// - Returns: `false` when the connection is closed; the message was not taken.
  func send(_ message: ClientMessage) -> Bool {
    guard inbox.add(message) else { return false }
    if !isIdle.load(ordering: .relaxed) || !sendIfIdle() { inbox.wake() }
    return true
  }

  private func sendIfIdle() -> Bool {
    loop.withLockIfAvailable { loop in
      defer { isIdle.store(false, ordering: .relaxed) }
      return loop?.sendIfIdle() ?? false
    } ?? false
  }

  /// The thread; ends when the connection is closed.
  func run() {
    var descriptors = (0..<WatchedDescriptors.count).map { _ in
      pollfd(fd: -1, events: Int16(POLLIN), revents: 0)
    }
    var hasEvents = false
    while true {
      let next = loop.withLock { loop in
        guard let next = loop?.turn(hasEvents: hasEvents) else { return ClientLoop.Next.end }
        isIdle.store(loop?.isIdle ?? true, ordering: .relaxed)
        return next
      }
      switch next {
      case .again: continue
      case .wait(let deadline, let watched):
        guard inbox.beginWaiting() else { continue }
        for index in watched.indices { descriptors[index].fd = watched[index] }
        wait(for: &descriptors, until: deadline)
        inbox.endWaiting()
        hasEvents = descriptors[WatchedDescriptors.events].revents != 0
      case .end:
        // Closes the socket.
        return loop.withLock { $0 = nil }
      }
    }
  }
}
