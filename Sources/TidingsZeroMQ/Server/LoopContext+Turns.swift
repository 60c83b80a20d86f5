internal import TidingsProtobuf
internal import TidingsRPC

extension LoopContext {
  /// How a message comes to be handled.
  enum Passage {
    /// At once: nobody waits.
    case direct
    /// It takes its place behind others of its caller.
    case arriving
    /// Its turn has come.
    case waited(since: ContinuousClock.Instant)
  }

  /// Most messages that are received in one turn while others wait.
  private static let arrivalsPerTurnMax = 512
  /// The clock is looked at after so many messages, or so many bytes of them.
  static let messagesPerLook = 8
  static let bytesPerLook = 4_096
  /// The longest that requests are handled in one turn, however long its end takes.
  static let handlingMax = Duration.milliseconds(20)

  /// Handles what has arrived, up to the bounds of a turn.
  ///
  /// As long as a turn can handle all that arrives, libzmq's own turns are fair enough: it takes a
  /// message from each connection. When it cannot, what arrives waits in a queue for each caller, so
  /// that a caller with many connections or expensive calls has turns like the others.
  ///
  /// What has no room there is refused: it must not stay in libzmq, which bounds what it keeps of a connection by messages
  /// only.
  ///
  /// - Returns: How many messages there were, and whether there may be more.
  func drainRequests() throws(TransportError) -> (count: Int, hasMore: Bool) {
    let end = now.advanced(
      by: min(max(configuration.turnHandlingMax, lastEnding), Self.handlingMax)
    )
    return isBehind ? try takeTurns(until: end) : try handleArrivals(until: end)
  }

  private func handleArrivals(
    until end: ContinuousClock.Instant
  ) throws(TransportError) -> (Int, Bool) {
    var (count, unlooked) = (0, 0)
    while count < configuration.requestsPerTurnMax, try receiveMessage() {
      count += 1
      unlooked += 1 + frames.byteCount * Self.messagesPerLook / Self.bytesPerLook
      handleMessage(.direct)
      frames.clear()
      arena.reset()
      guard unlooked >= Self.messagesPerLook else { continue }
      unlooked = 0
      if .now >= end {
        // What is handed on waits for the other server, not for a turn here.
        isBehind = forwarding == nil
        return (count, true)
      }
    }
    return (count, count == configuration.requestsPerTurnMax)
  }

  private func takeTurns(
    until end: ContinuousClock.Instant
  ) throws(TransportError) -> (Int, Bool) {
    var arrivals = 0
    while arrivals < Self.arrivalsPerTurnMax, try receiveMessage() {
      arrivals += 1
      handleMessage(.arriving)
      frames.clear()
      arena.reset()
    }
    var count = 0
    while count < configuration.requestsPerTurnMax, let request = waiting.takeNext() {
      count += 1
      frames.restore(request.message)
      handleMessage(.waited(since: request.received))
      frames.clear()
      arena.reset()
      if .now >= end { break }
    }
    let hasMore = !waiting.isEmpty || arrivals == Self.arrivalsPerTurnMax
    isBehind = hasMore
    return (max(count, arrivals), hasMore)
  }

  private func receiveMessage() throws(TransportError) -> Bool {
    guard try frames.receive(from: router) else {
      InboundBytes.drained()
      // From now on, sending may take notice of what arrives, and leave its descriptor silent.
      hasSent = false
      return false
    }
    InboundBytes.took(frames, isSecure: isCurve)
    return true
  }

  /// Lets the call at hand wait for its caller's turn.
  func keep(_ token: ReplyToken, of caller: CallerKey) {
    let bytes = frames.byteCount
    let request = WaitingRequests.Request(
      message: frames.takeMessage(),
      connection: token.peer.connection,
      received: now
    )
    guard !waiting.add(request, of: caller, bytes: bytes) else { return }
    refuseUnbegun(
      token,
      RPCError(
        .resourceExhausted,
        "too many of your calls wait for their turn: wait for answers before you send more",
        details: [.retryInfo(after: .milliseconds(100))]
      )
    )
  }

  /// Lets a cancellation or a credit wait behind the call that it may be about, which is not begun if it is cancelled.
  ///
  /// - Returns: `false` when it is to be handled at once.
  func keepsControl(_ kind: RequestHeaderView.Kind, _ token: ReplyToken) -> Bool {
    let connection = token.peer.connection
    guard let caller = waiting.lastCaller(on: connection) else { return false }
    let bytes = frames.byteCount
    let request = WaitingRequests.Request(
      message: frames.takeMessage(),
      connection: connection,
      received: now
    )
    guard waiting.add(request, of: caller, bytes: bytes) else { return false }
    if kind == .cancel { waiting.noteCancellation(of: token) }
    return true
  }
}
