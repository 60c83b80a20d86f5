internal import TidingsProtobuf
internal import TidingsRPC

extension LoopContext {
  /// The number of the key with which nodes call each other: the server's own.
  public static let nodeKeyNumber = Int64.max

  /// Hands calls of methods that are not registered here to another server from now on.
  public func forward(by forwarding: Forwarding) { self.forwarding = forwarding }

  /// Hands a request on, if it is not one of this server's own methods or calls.
  ///
  /// - Returns: Whether it is settled.
  func forwards(
    _ header: RequestHeaderView,
    _ token: ReplyToken,
    on connection: Connection,
    _ passage: Passage
  ) -> Bool {
    guard let forwarding else { return false }
    switch header.kind {
    case .call:
      guard routes.lookup(header.method) == nil else { return false }
      forward(header, token, on: connection, passage, by: forwarding)
      return true
    case .cancel, .credit:
      // Behind the call that it may be about.
      if case .waited = passage {} else if keepsControl(header.kind, token) { return true }
      return forwarding.control(frames[frames.count - 2], token)
    case .unknown: return false
    }
  }

  private func forward(
    _ header: RequestHeaderView,
    _ token: ReplyToken,
    on connection: Connection,
    _ passage: Passage,
    by forwarding: Forwarding
  ) {
    var waitedSince: ContinuousClock.Instant?
    if case .waited(let since) = passage { waitedSince = since } else { counters.calls += 1 }
    let body = frames[frames.count - 1]
    if let refusal = refusal(header, body, token) { return refuseUnbegun(token, refusal) }
    if isDraining { return refuseUnbegun(token, .draining) }
    if noteUse(of: connection) { note(connection, token.peer.keyNumber, nil, header) }
    guard forwarding.isConnected, !forwarding.isHolding else {
      guard let end = forwarding.patienceEnd, now < end else {
        return refuseUnbegun(token, .noLeader)
      }
      return keep(token, of: Self.callerKey(header, user: nil, keyNumber: token.peer.keyNumber))
    }
    let timeout = timeLeft(header, since: waitedSince)
    if timeout == 0 {
      return refuseUnbegun(
        token,
        RPCError(.deadlineExceeded, "the deadline passed before the call was begun")
      )
    }
    let refusal = forwarding.start(
      header.method,
      frames[frames.count - 2],
      body,
      token,
      timeoutMilliseconds: timeout
    )
    if let refusal { return refuseUnbegun(token, refusal) }
    counters.callsForwarded += 1
  }

  /// What is left of the time of a call that waited; `nil`: it did not, or has no deadline.
  private func timeLeft(
    _ header: RequestHeaderView,
    since waited: ContinuousClock.Instant?
  ) -> UInt32? {
    guard let waited, header.timeoutMilliseconds > 0 else { return nil }
    let deadline = waited.advanced(by: .milliseconds(header.timeoutMilliseconds))
    return UInt32(clamping: max(0, now.duration(to: deadline).wholeMilliseconds))
  }

  /// Takes the answers of the other server, and hands on the calls that waited for its connection.
  ///
  /// - Returns: Whether there was anything to do.
  func turnForwarding() throws(TransportError) -> Bool {
    guard let forwarding else { return false }
    var isBusy = try forwarding.turn(on: self)
    let isOver = forwarding.patienceEnd.map { $0 <= now } ?? false
    let canForward = forwarding.isConnected && !forwarding.isHolding
    guard canForward || isOver || isStopping else { return isBusy }
    if !waiting.isEmpty { isBusy = true }
    settleHeld()
    return isBusy
  }

  /// Hands on the calls that waited, or refuses them.
  func settleHeld() {
    while let request = waiting.takeNext() {
      frames.restore(request.message)
      handleMessage(.waited(since: request.received))
      frames.clear()
      arena.reset()
    }
  }

  /// Passes an answer of the other server on.
  func relay(
    _ token: ReplyToken,
    _ header: UnsafeRawBufferPointer,
    _ body: UnsafeRawBufferPointer
  ) {
    send(token, on: connection(of: token), header, body)
  }

  /// A call that was handed on gets no answer of the other server.
  func refuse(forwarded token: ReplyToken, _ error: RPCError) {
    refuse(token, on: connection(of: token), error)
  }
}
