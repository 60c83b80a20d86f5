internal import TidingsMemory
internal import TidingsThreads

/// The loop's end of the thread that has the socket for pushes.
///
/// When the connection of a subscriber ends, libzmq looks through the topics of all subscribers on the thread of their
/// socket, which takes longer than a turn of the loop may. On a thread of its own pushes wait for that, and calls do not.
final class PushPort: Sendable {
  /// Where published messages come from.
  let bound: PushLoop.Bound
  private let exchange: PushExchange
  private let ended: Semaphore

  /// Starts the thread, which listens.
  ///
  /// - Parameters:
  ///   - endpoint: Where.
  ///   - context: Of the server's sockets.
  ///   - configuration: The server's.
  ///   - ceiling: How many connections there may be.
  ///   - admission: Follows the connections; it has to go after this.
  ///   - failed: The thread ends because its socket failed.
  /// - Throws: When the socket cannot listen.
  init(
    at endpoint: String,
    _ context: Context,
    _ configuration: ServerConfiguration,
    _ ceiling: ConnectionCeiling,
    _ admission: ZAPHandler,
    failed: @escaping @Sendable (TransportError) -> Void
  ) throws(TransportError) {
    let started = Mailbox<Result<PushLoop.Bound, TransportError>>(countMax: 1)
    let exchange = PushExchange(bytesMax: configuration.memory[.pushesWaiting])
    let ended = Semaphore()
    try startLoopThread("tidings-pushes") {
      do throws(TransportError) {
        let loop = try PushLoop(at: endpoint, context, configuration, ceiling, admission, exchange)
        started.send(.success(loop.bound))
        try loop.run()
      } catch {
        if !started.send(.failure(error)) { failed(error) }
      }
      ended.signal()
    }
    (self.exchange, self.ended) = (exchange, ended)
    wait(for: started.descriptor)
    // Closed: a failure from now on concerns the server.
    bound = try started.close()[0].get()
  }

  /// Sends what was handed over, closes the socket, and ends the thread.
  deinit {
    exchange.stop()
    ended.wait()
  }

  /// Readable while there are notes to take; to be polled.
  var descriptor: CInt { exchange.notesDescriptor }

  /// Whether there is room for more pushes, besides so many bytes that are about to be handed over.
  func hasRoom(besides byteCount: Int) -> Bool { exchange.hasRoom(besides: byteCount) }

  /// Hands over pushes, of so many bytes together.
  ///
  /// - Returns: `false` when there is no room for them: the thread is busy for long.
  func publish(_ pushes: [Push], byteCount: Int) -> Bool {
    exchange.publish(pushes, byteCount: byteCount)
  }

  /// Takes the notes of what subscribers asked for since the last time.
  func takeNotes() -> [SubscriptionNote] { exchange.takeNotes() }
}
