/// The messages of a server-streaming call, as they arrive.
///
/// One task iterates, once. Leaving the loop early, dropping the stream and cancelling the task
/// cancel the call. Consumed messages are given back to the server as credit, half a window at a
/// time, so that the server never sends more than the window ahead; those of a slow consumer after a
/// while, because a server gives up a stream that has no credit for long.
public struct ResponseStream: AsyncSequence, Sendable {
  /// An encoded message.
  public typealias Element = [UInt8]
  /// How the call failed.
  public typealias Failure = RPCError

  /// The transport's end of a stream.
  public struct Continuation: Sendable {
    fileprivate let buffer: DeliveryBuffer<[UInt8]>

    /// Hands over a message.
    ///
    /// - Returns: `false` when the server sent more than it had credit for; the message was not
    ///   taken and the call should be failed.
    public func yield(_ message: [UInt8]) -> Bool { buffer.push(message) }

    /// Ends the stream after the messages handed over; `nil`: with the status OK.
    public func finish(_ error: RPCError? = nil) { buffer.finish(error) }
  }

  private let session: Session

  /// Makes a stream and the end that fills it.
  ///
  /// - Parameters:
  ///   - window: How many messages the server was allowed to send at first, 1...1024.
  ///   - patience: After how long less than half a window is given back.
  ///   - onCredit: Called with a number of messages that the server may send in addition.
  ///   - onCancel: Called once if the consumer gives up before the end.
  /// - Returns: The stream, and the transport's end of it.
  public static func makeStream(
    window: Int = WireLimits.creditDefault,
    patience: Duration = .seconds(10),
    onCredit: @escaping @Sendable (Int) -> Void,
    onCancel: @escaping @Sendable () -> Void
  ) -> (stream: Self, continuation: Continuation) {
    let buffer = DeliveryBuffer<[UInt8]>(countMax: WireLimits.creditMax)
    let session = Session(
      buffer: buffer,
      window: window,
      patience: patience,
      onCredit: onCredit,
      onCancel: onCancel
    )
    return (Self(session: session), Continuation(buffer: buffer))
  }

  /// A stream that fails without a message.
  public static func failed(_ error: RPCError) -> Self {
    let (stream, continuation) = makeStream(onCredit: { _ in }, onCancel: {})
    continuation.finish(error)
    return stream
  }

  /// Begins the one iteration.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(session: session) }

  /// Iterates over the messages.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let session: Session
    private let lifetime: Lifetime
    private var consumed = 0
    private var lastCredit = ContinuousClock.now

    fileprivate init(session: Session) {
      self.session = session
      lifetime = Lifetime(session: session)
    }

    /// Waits for the next message.
    ///
    /// - Returns: The message; `nil` after the last one.
    /// - Throws: The status of a call that failed; `cancelled` when the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RPCError) -> [UInt8]? {
      let session = session
      let delivery = await withTaskCancellationHandler {
        // The task may see that it is cancelled before `onCancel` has run.
        await session.buffer.next(whenCancelled: .failure(Session.cancelled))
      } onCancel: {
        session.cancel()
      }
      guard let message = try delivery.get() else { return nil }
      consumed += 1
      let now = ContinuousClock.now
      if consumed >= session.grantBatch || lastCredit.duration(to: now) >= session.patience {
        session.onCredit(consumed)
        (consumed, lastCredit) = (0, now)
      }
      return message
    }

    /// Waits for the next message.
    ///
    /// - Returns: The message; `nil` after the last one.
    /// - Throws: The status of a call that failed.
    public mutating func next() async throws(RPCError) -> [UInt8]? {
      try await next(isolation: #isolation)
    }
  }

  fileprivate final class Session: Sendable {
    let buffer: DeliveryBuffer<[UInt8]>
    let grantBatch: Int
    let patience: Duration
    let onCredit: @Sendable (Int) -> Void
    private let onCancel: @Sendable () -> Void

    init(
      buffer: DeliveryBuffer<[UInt8]>,
      window: Int,
      patience: Duration,
      onCredit: @escaping @Sendable (Int) -> Void,
      onCancel: @escaping @Sendable () -> Void
    ) {
      self.buffer = buffer
      self.patience = patience
      grantBatch = Swift.max(1, window / 2)
      self.onCredit = onCredit
      self.onCancel = onCancel
    }

    deinit { cancel() }

    static let cancelled = RPCError(.cancelled, "the call was cancelled")

    func cancel() {
      if buffer.finish(Self.cancelled, discardingBuffered: true) { onCancel() }
    }
  }

  /// Ends the call when the iteration ends, even while the sequence itself lives on.
  fileprivate final class Lifetime: Sendable {
    private let session: Session
    init(session: Session) { self.session = session }
    deinit { session.cancel() }
  }
}
