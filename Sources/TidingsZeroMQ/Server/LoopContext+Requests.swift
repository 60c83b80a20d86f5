internal import CZeroMQ
internal import TidingsProtobuf
internal import TidingsRPC

extension LoopContext {
  /// Recognizes requests, and answers everything else.
  func handleMessage(_ passage: Passage) {
    let count = frames.count
    guard let number = ConnectionNumber(routingID: frames[0]),
      let connection = connection(ofMessageFrom: number), !connection.isEnding
    else {
      counters.messagesOfEnded += 1
      return
    }
    if frames.isTruncated {
      return refuseMalformed(
        envelope: 1,
        of: number,
        RPCError(.invalidArgument, "more than \(WireLimits.framesMax) frames")
      )
    }
    if count < 3 {
      return refuseMalformed(
        envelope: 1,
        of: number,
        RPCError(.invalidArgument, "a request has a header and a body; one frame came")
      )
    }
    let header = frames[count - 2]
    if header.isEmpty {
      // A REQ client that sent one frame: its delimiter stands where the header should.
      return refuseMalformed(
        envelope: count - 1,
        of: number,
        RPCError(.invalidArgument, "the request header is empty")
      )
    }
    if header.count > SocketLimits.headerBytesMax {
      return refuseMalformed(
        envelope: count - 2,
        of: number,
        .frameTooLarge(bytes: header.count, bytesMax: SocketLimits.headerBytesMax)
      )
    }
    guard let view = RequestHeaderView(header) else {
      return refuseMalformed(
        envelope: count - 2,
        of: number,
        RPCError(.invalidArgument, "the request header cannot be decoded")
      )
    }
    let envelope = Envelope(frames, count: count - 2, from: number)
    let keyNumber = isCurve ? frames.keyNumber(ofFrame: count - 1) : nil
    let token = ReplyToken(
      peer: .init(envelope: envelope, keyNumber: keyNumber),
      callID: view.callID,
      mark: CallMark(started: started(passage))
    )
    if isCurve, keyNumber == nil {
      return refuseUnbegun(
        token,
        RPCError(.unauthenticated, "the connection's key was not admitted: connect again")
      )
    }
    if case .waited = passage, waiting.removeCancellation(of: token), view.kind == .call {
      return refuseUnbegun(token, .cancelledByClient)
    }
    if forwarding != nil, forwards(view, token, on: connection, passage) { return }
    switch view.kind {
    case .call: begin(view, frames.frame(count - 1), token, on: connection, passage)
    case .cancel, .credit:
      if case .arriving = passage, keepsControl(view.kind, token) { return }
      control(view, token)
    case .unknown:
      counters.requestsMalformed += 1
      refuseUnbegun(token, RPCError(.invalidArgument, "the request kind is not known"))
    }
  }

  private func refuseMalformed(
    envelope count: Int,
    of number: ConnectionNumber,
    _ error: RPCError
  ) {
    counters.requestsMalformed += 1
    let envelope = Envelope(frames, count: count, from: number)
    let peer = ReplyToken.Peer(envelope: envelope, keyNumber: nil)
    refuseUnbegun(ReplyToken(peer: peer, callID: 0, mark: CallMark(started: turnTime)), error)
  }

  private func control(_ header: RequestHeaderView, _ token: ReplyToken) {
    if header.kind == .credit { return grant(header.credit, token) }
    let actions = calls.cancel(.init(peer: token.peer, callID: token.callID))
    if actions.isEmpty { delegate?.callCancelled(token, self) } else { perform(actions) }
  }

  private func begin(
    _ header: RequestHeaderView,
    _ frame: UnsafeMutablePointer<zmq_msg_t>,
    _ token: consuming ReplyToken,
    on connection: Connection,
    _ passage: Passage
  ) {
    let body = UnsafeRawBufferPointer(start: zmq_msg_data(frame), count: zmq_msg_size(frame))
    var received = now
    var isNew = true
    if case .waited(let time) = passage { (received, isNew) = (time, false) }
    if isNew { counters.calls += 1 }
    var keyNumber = callerKeyNumber(header, token)
    if let refusal = refusal(header, body, token) { return refuseUnbegun(token, refusal) }
    let route = routes.lookup(header.method)
    if let route { token.mark.method = route.number }
    var user: String?
    if let delegate {
      let admission = delegate.admit(
        key: keyNumber,
        method: route?.method,
        claiming: CallerClaim(header)
      )
      switch admission {
      case .admitted(let name): user = name
      case .admittedOnWeb(let name, let credential, let gateway):
        if isNew, let refusal = refusalByCount(of: connection, of: gateway, keyNumber) {
          return refuseUnbegun(token, refusal)
        }
        if noteUse(of: connection) { note(connection, keyNumber, gateway, header) }
        (user, keyNumber) = (name, credential)
      case .claimed: break
      case .refused(let error): return refuseUnbegun(token, error)
      }
    }
    guard let route else { return refuseUnbegun(token, routes.refusal(of: header.method)) }
    if body.count > route.requestBytesMax {
      return refuseUnbegun(token, .requestTooLarge(body.count, route))
    }
    if isNew,
      let refusal = refusalByBounds(header, on: connection, user: user, keyNumber: keyNumber)
    {
      return refuseUnbegun(token, refusal)
    }
    if isDraining, !route.isAnsweredWhileDraining {
      return refuseUnbegun(token, .draining)
    }
    if noteUse(of: connection) { note(connection, keyNumber, user, header) }
    if case .arriving = passage {
      return keep(token, of: Self.callerKey(header, user: user, keyNumber: keyNumber))
    }
    token.mark.observed = observe(header, route, token.mark, bytes: body.count)
    let timeout = header.timeoutMilliseconds
    let deadline = timeout == 0 ? nil : received.advanced(by: .milliseconds(timeout))
    let call = InlineCall(
      header: header,
      route: route,
      connection: connection,
      body: body,
      frame: frame,
      deadline: deadline,
      token: token,
      keyNumber: keyNumber,
      user: user
    )
    switch route.handler {
    case .inline(let handler):
      inlineOpen += 1
      connection.inlineOpen += 1
      handler(call, self)
    case .service(let service): start(call, service)
    }
  }

  /// When a call came that is handled now.
  private func started(_ passage: Passage) -> Int64 {
    guard case .waited(let received) = passage else { return turnTime }
    return turnTime - Int64(received.duration(to: now) / .nanoseconds(1))
  }

  /// The key of the caller: of the connection, or of the client whose call a node forwards.
  private func callerKeyNumber(_ header: RequestHeaderView, _ token: ReplyToken) -> Int64? {
    let number = token.peer.keyNumber
    return number == Self.nodeKeyNumber ? header.forwardedKey ?? number : number
  }

  /// Takes note of who made the first call of a connection.
  func note(
    _ connection: Connection,
    _ keyNumber: Int64?,
    _ user: String?,
    _ header: RequestHeaderView
  ) {
    func text(_ value: UnsafeRawBufferPointer?) -> String? {
      value.map { String(decoding: $0, as: UTF8.self) }
    }
    connection.caller = ConnectionCaller(
      keyNumber: keyNumber,
      user: user ?? text(header.user) ?? "",
      device: text(header.device) ?? ""
    )
  }

  /// Why a request is refused whoever answers it.
  func refusal(
    _ header: RequestHeaderView,
    _ body: UnsafeRawBufferPointer,
    _ token: ReplyToken
  ) -> RPCError? {
    if body.count > configuration.frameBytesMax {
      return .frameTooLarge(bytes: body.count, bytesMax: configuration.frameBytesMax)
    }
    if isStopping { return RPCError.stopping }
    if backlog.holds(token.envelope) {
      return RPCError(
        .resourceExhausted,
        "earlier answers were not read; read them first",
        details: [.retryInfo(after: .milliseconds(100))]
      )
    }
    return header.refusal()
  }
}

extension RPCError {
  /// The loop would read the request for too long.
  fileprivate static func requestTooLarge(_ bytes: Int, _ route: LoopContext.Route) -> Self {
    Self(
      .resourceExhausted,
      "a request of \(bytes) bytes; \(route.method.fullName) takes at most \(route.requestBytesMax)",
      details: [.errorInfo(reason: frameTooLargeReason)]
    )
  }
}
