internal import Glibc
public import TidingsRPC

extension LoopContext {
  /// Answers an inline call.
  ///
  /// - Parameters:
  ///   - token: The call's; not used before.
  ///   - body: The encoded response message.
  public func reply(_ token: ReplyToken, body: UnsafeRawBufferPointer) {
    inlineEnded(token)
    answer(token, body, endsStream: true)
  }

  /// Answers an inline call.
  public func reply(_ token: ReplyToken, body: [UInt8]) {
    body.withUnsafeBytes { reply(token, body: $0) }
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
    inlineEnded(token)
    guard byteCount <= configuration.frameBytesMax,
      let frame = makeFrame(byteCount, to: token.envelope)
    else {
      return refuse(
        token,
        .frameTooLarge(bytes: byteCount, bytesMax: configuration.frameBytesMax)
      )
    }
    fill(frame.bytes)
    let header = headerBuffer.encode(callID: token.callID, endsStream: true, hasMessage: true)
    switch beginSending(to: token.envelope, byteCount) {
    case .sent:
      _ = router.send(header, more: true)
      _ = router.send(frame)
    case .full: keep(token, Array(header), Array(frame.bytes))
    case .unreachable: lost(token)
    }
  }

  /// Answers an inline call with an error.
  public func fail(_ token: ReplyToken, _ error: RPCError) {
    inlineEnded(token)
    refuse(token, error)
  }

  /// Whether the connection of a call is open, as far as is known.
  public func isConnected(_ token: ReplyToken) -> Bool {
    token.peer.connection.flatMap { connections.connection($0) } != nil
  }

  /// Gives up an inline call whose connection has ended.
  public func abandon(_ token: ReplyToken) {
    inlineEnded(token)
    lost(token)
  }

  /// Publishes a message to the subscribers of a topic; without a push endpoint, to nobody.
  ///
  /// A subscriber that does not keep up loses it, and notices by the numbers inside.
  public func publish(topic: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer) {
    guard push != nil else { return }
    hasPublished = true
    counters.pushes += 1
    if push?.send(topic, more: true) == .sent { _ = push?.send(body) }
  }

  /// Publishes a message to the subscribers of a topic.
  public func publish(topic: [UInt8], body: [UInt8]) {
    topic.withUnsafeBytes { topic in
      body.withUnsafeBytes { publish(topic: topic, body: $0) }
    }
  }

  /// An inline call is answered, or given up.
  private func inlineEnded(_ token: ReplyToken) {
    inlineOpen -= 1
    guard let connection = token.peer.connection, let count = openCalls[connection] else { return }
    openCalls[connection] = count - 1
  }

  /// Sends a response with the status OK.
  func answer(
    _ token: ReplyToken,
    _ body: UnsafeRawBufferPointer,
    endsStream: Bool,
    hasMessage: Bool = true
  ) {
    guard body.count <= configuration.frameBytesMax else {
      return refuse(
        token,
        .frameTooLarge(bytes: body.count, bytesMax: configuration.frameBytesMax)
      )
    }
    let header = headerBuffer.encode(
      callID: token.callID,
      endsStream: endsStream,
      hasMessage: hasMessage
    )
    send(token, header, body)
  }

  /// Sends a final response with an error for a call that was begun.
  func refuse(_ token: ReplyToken, _ error: RPCError) {
    counters.callsFailed += 1
    let header = FailureHeader.encode(callID: token.callID, error, arena: arena)
    header.withUnsafeBytes { header in
      send(token, header, UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// Sends a final response with an error for a call that was not begun.
  func refuseUnbegun(_ token: ReplyToken, _ error: RPCError) {
    guard backlog.hasRoomForRefusal(token.envelope) else {
      counters.refusalsDropped += 1
      return
    }
    failed(error)
    refuse(token, error)
  }

  /// Sends answers that had to wait, and forgets connections that have ended.
  func settleReplies() {
    if !backlog.isEmpty {
      hasSent = true
      let undeliverable = backlog.flush { reply in
        guard let connection = reply.envelope.connection else { return .unreachable }
        guard unread.hasRoomInLibzmq(for: reply.body.count, to: connection) else { return .full }
        let outcome = reply.envelope.send(on: router)
        if outcome == .sent {
          unread.waits(-reply.byteCount, on: connection)
          _ = reply.header.withUnsafeBytes { router.send($0, more: true) }
          reply.body.withUnsafeBytes { sendBody($0, to: connection) }
        }
        return outcome
      }
      counters.repliesUndeliverable += UInt64(undeliverable)
    }
    settleEndedConnections()
  }

  private func send(
    _ token: ReplyToken,
    _ header: UnsafeRawBufferPointer,
    _ body: UnsafeRawBufferPointer
  ) {
    switch beginSending(to: token.envelope, body.count) {
    case .sent:
      _ = router.send(header, more: true)
      if let connection = token.peer.connection { sendBody(body, to: connection) }
    case .full: keep(token, Array(header), Array(body))
    case .unreachable: lost(token)
    }
  }

  private func beginSending(to envelope: Envelope, _ byteCount: Int) -> Socket.Sending {
    hasSent = true
    guard let connection = envelope.connection, !unread.isEnding(connection) else {
      return .unreachable
    }
    if byteCount >= UnreadAnswers.portionBytes, !makeRoom(for: byteCount, to: connection) {
      return .unreachable
    }
    let mustWait =
      backlog.holds(envelope) || !unread.hasRoomInLibzmq(for: byteCount, to: connection)
    return mustWait ? .full : envelope.send(on: router)
  }

  /// Ends connections that hold too much, until an answer has room.
  ///
  /// - Returns: `false` when the answer's own connection is ended.
  private func makeRoom(for byteCount: Int, to connection: ConnectionNumber) -> Bool {
    while true {
      let caller = callerBounds.caller(on: connection)
      guard case .exceeded(let largest) = unread.room(for: byteCount, to: connection, of: caller)
      else { return true }
      unread.ends(largest)
      counters.repliesUndeliverable += UInt64(backlog.remove(largest))
      if let open = connections.connection(largest) { end(open) }
      if largest == connection { return false }
    }
  }

  /// Sends the last frame of an answer.
  private func sendBody(_ body: UnsafeRawBufferPointer, to connection: ConnectionNumber) {
    guard let portion = portion(body.count, to: connection),
      let frame = OutgoingFrame(byteCount: body.count, counting: portion)
    else {
      _ = router.send(body)
      return
    }
    frame.bytes.copyMemory(from: body)
    _ = router.send(frame)
  }

  private func makeFrame(_ byteCount: Int, to envelope: Envelope) -> OutgoingFrame? {
    guard let connection = envelope.connection, let portion = portion(byteCount, to: connection)
    else { return OutgoingFrame(byteCount: byteCount) }
    return OutgoingFrame(byteCount: byteCount, counting: portion)
  }

  private func portion(
    _ byteCount: Int,
    to connection: ConnectionNumber
  ) -> UnreadAnswers.Portion? {
    unread.portion(for: byteCount, to: connection, of: callerBounds.caller(on: connection))
  }

  private func keep(_ token: ReplyToken, _ header: [UInt8], _ body: [UInt8]) {
    let reply = ReplyBacklog.Reply(envelope: token.envelope, header: header, body: body)
    guard let connection = token.peer.connection,
      makeRoom(for: reply.byteCount, to: connection)
    else { return lost(token) }
    counters.repliesDelayed += 1
    unread.waits(reply.byteCount, on: connection)
    backlog.append(reply)
  }

  private func lost(_ token: ReplyToken) { counters.repliesUndeliverable += 1 }
}
