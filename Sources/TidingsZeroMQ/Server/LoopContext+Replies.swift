internal import Glibc
public import TidingsRPC

extension LoopContext {
  /// Answers an inline call.
  ///
  /// - Parameters:
  ///   - token: The call's; not used before.
  ///   - body: The encoded response message.
  public func reply(_ token: ReplyToken, body: UnsafeRawBufferPointer) {
    answer(token, on: inlineEnded(token), body, endsStream: true)
  }

  /// Answers an inline call.
  public func reply(_ token: ReplyToken, body: [UInt8]) {
    body.withUnsafeBytes { reply(token, body: $0) }
  }

  /// Answers an inline call, about which somebody knows more.
  public func reply(_ token: ReplyToken, body: [UInt8], summary: (any CallSummarizing)?) {
    observation.summarizing = summary
    reply(token, body: body)
    observation.summarizing = nil
  }

  /// Answers an inline call with a message that is written where libzmq sends it from.
  ///
  /// - Parameters:
  ///   - token: The call's; not used before.
  ///   - byteCount: The exact size of the encoded message.
  ///   - fill: Writes all of it.
  public func reply(
    _ token: ReplyToken,
    byteCount: Int,
    fill: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    guard let connection = inlineEnded(token) else {
      callEnded(token.mark, .cancelled)
      return lost(token)
    }
    guard byteCount <= configuration.frameBytesMax,
      let frame = makeFrame(byteCount, to: connection)
    else {
      return refuse(
        token,
        on: connection,
        .frameTooLarge(bytes: byteCount, bytesMax: configuration.frameBytesMax)
      )
    }
    fill(frame.bytes)
    callEnded(token.mark, .ok)
    let header = headerBuffer.encode(callID: token.callID, endsStream: true, hasMessage: true)
    switch beginSending(to: token.envelope, on: connection, byteCount) {
    case .sent:
      _ = router.send(header, more: true)
      _ = router.send(frame)
    case .full: keep(token, on: connection, Array(header), Array(frame.bytes))
    case .unreachable: lost(token)
    }
  }

  /// Answers an inline call with an error.
  public func fail(_ token: ReplyToken, _ error: RPCError) {
    refuse(token, on: inlineEnded(token), error)
  }

  /// Whether the connection of a call is open, as far as is known.
  public func isConnected(_ token: ReplyToken) -> Bool {
    connection(of: token) != nil
  }

  /// Gives up an inline call whose connection has ended.
  public func abandon(_ token: ReplyToken) {
    _ = inlineEnded(token)
    callEnded(token.mark, .cancelled)
    lost(token)
  }

  /// Publishes a message to the subscribers of a topic, at the end of the turn at the latest; without a push endpoint, to nobody.
  ///
  /// A subscriber that does not keep up loses it, and notices by the numbers inside.
  public func publish(topic: [UInt8], body: [UInt8]) {
    publicationObserver?(topic, body)
    guard pushes != nil else { return }
    counters.pushes += 1
    let push = Push(topic: topic, body: body)
    published.append(push)
    publishedBytes += push.byteCount
    if publishedBytes >= Self.publishedBytesMax { handOverPushes() }
  }

  /// Whether what is published now is sent: what can wait is not to be published before there is room.
  public var takesPushes: Bool { pushes?.hasRoom(besides: publishedBytes) ?? true }

  /// With so much, pushes are handed over before the end of the turn.
  private static let publishedBytesMax = 256 << 10

  /// Hands what was published to the thread that sends it.
  func handOverPushes() {
    guard let pushes, !published.isEmpty else { return }
    let isTaken = pushes.publish(published, byteCount: publishedBytes)
    if !isTaken { counters.pushesDropped += UInt64(published.count) }
    (published, publishedBytes) = ([], 0)
  }

  /// An inline call is answered, or given up.
  ///
  /// - Returns: Its connection, if that is open.
  private func inlineEnded(_ token: ReplyToken) -> Connection? {
    inlineOpen -= 1
    let connection = connection(of: token)
    connection?.inlineOpen -= 1
    return connection
  }

  /// Sends a response with the status OK.
  func answer(
    _ token: ReplyToken,
    on connection: Connection?,
    _ body: UnsafeRawBufferPointer,
    endsStream: Bool,
    hasMessage: Bool = true
  ) {
    guard body.count <= configuration.frameBytesMax else {
      return refuse(
        token,
        on: connection,
        .frameTooLarge(bytes: body.count, bytesMax: configuration.frameBytesMax)
      )
    }
    if endsStream { callEnded(token.mark, .ok) }
    let header = headerBuffer.encode(
      callID: token.callID,
      endsStream: endsStream,
      hasMessage: hasMessage
    )
    send(token, on: connection, header, body)
  }

  /// Sends a final response with an error for a call that was begun.
  func refuse(_ token: ReplyToken, on connection: Connection?, _ error: RPCError) {
    counters.callsFailed += 1
    callEnded(token.mark, error.code)
    let header = FailureHeader.encode(callID: token.callID, error, arena: arena)
    header.withUnsafeBytes { header in
      send(token, on: connection, header, UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// Sends a final response with an error for a call that was not begun.
  func refuseUnbegun(_ token: ReplyToken, _ error: RPCError) {
    guard backlog.hasRoomForRefusal(token.envelope) else {
      counters.refusalsDropped += 1
      return
    }
    failed(error)
    refuse(token, on: connection(of: token), error)
  }

  /// Sends answers that had to wait, and forgets connections that have ended.
  func settleReplies() {
    if !backlog.isEmpty {
      hasSent = true
      // Nothing is added to it meanwhile.
      var flushed = ReplyBacklog()
      swap(&flushed, &backlog)
      let undeliverable = flushed.flush { reply in
        guard let connection = reply.envelope.connection.flatMap({ connections.connection($0) }),
          let account = account(of: connection)
        else { return .unreachable }
        guard account.hasRoomInLibzmq(for: reply.body.count) else { return .full }
        let outcome = reply.envelope.send(on: router)
        if outcome == .sent {
          account.waits(-reply.byteCount)
          _ = reply.header.withUnsafeBytes { router.send($0, more: true) }
          reply.body.withUnsafeBytes { sendBody($0, to: connection) }
        }
        return outcome
      }
      backlog = flushed
      counters.repliesUndeliverable += UInt64(undeliverable)
    }
    settleEndedConnections()
  }

  /// Sends a response as it is.
  func send(
    _ token: ReplyToken,
    on connection: Connection?,
    _ header: UnsafeRawBufferPointer,
    _ body: UnsafeRawBufferPointer
  ) {
    guard let connection else { return lost(token) }
    switch beginSending(to: token.envelope, on: connection, body.count) {
    case .sent:
      _ = router.send(header, more: true)
      sendBody(body, to: connection)
    case .full: keep(token, on: connection, Array(header), Array(body))
    case .unreachable: lost(token)
    }
  }

  private func beginSending(
    to envelope: Envelope,
    on connection: Connection,
    _ byteCount: Int
  ) -> Socket.Sending {
    hasSent = true
    guard let account = account(of: connection), !account.isEnding else { return .unreachable }
    if byteCount >= UnreadAnswers.portionBytes, !makeRoom(for: byteCount, on: account) {
      return .unreachable
    }
    let mustWait = backlog.holds(envelope) || !account.hasRoomInLibzmq(for: byteCount)
    return mustWait ? .full : envelope.send(on: router)
  }

  /// What is held for an open connection; `nil`: it has no number, and so nothing was received from it.
  private func account(of connection: Connection) -> UnreadAnswers.Account? {
    if let known = connection.answers { return known }
    guard let number = connection.number else { return nil }
    let made = unread.account(of: number, for: callerBounds.caller(on: number))
    connection.answers = made
    return made
  }

  /// Ends connections that hold too much, until an answer has room.
  ///
  /// - Returns: `false` when the answer's own connection is ended.
  private func makeRoom(for byteCount: Int, on account: UnreadAnswers.Account) -> Bool {
    while !account.isEnding {
      guard case .exceeded(let largest) = unread.room(for: byteCount, in: account) else {
        return true
      }
      unread.ends(largest)
      counters.repliesUndeliverable += UInt64(backlog.remove(largest))
      if let open = connections.connection(largest) { end(open) }
    }
    return false
  }

  /// Sends the last frame of an answer.
  private func sendBody(_ body: UnsafeRawBufferPointer, to connection: Connection) {
    guard let portion = account(of: connection)?.portion(for: body.count),
      let frame = OutgoingFrame(byteCount: body.count, counting: portion)
    else {
      _ = router.send(body)
      return
    }
    frame.bytes.copyMemory(from: body)
    _ = router.send(frame)
  }

  private func makeFrame(_ byteCount: Int, to connection: Connection) -> OutgoingFrame? {
    guard let portion = account(of: connection)?.portion(for: byteCount) else {
      return OutgoingFrame(byteCount: byteCount)
    }
    return OutgoingFrame(byteCount: byteCount, counting: portion)
  }

  private func keep(
    _ token: ReplyToken,
    on connection: Connection,
    _ header: [UInt8],
    _ body: [UInt8]
  ) {
    let reply = ReplyBacklog.Reply(envelope: token.envelope, header: header, body: body)
    guard let account = account(of: connection), makeRoom(for: reply.byteCount, on: account) else {
      return lost(token)
    }
    counters.repliesDelayed += 1
    account.waits(reply.byteCount)
    backlog.append(reply)
  }

  private func lost(_ token: ReplyToken) { counters.repliesUndeliverable += 1 }
}
