internal import CZeroMQ
internal import Glibc
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsThreads

/// A client's thread: owns the DEALER socket, performs what the `ClientCallTable` decides.
struct ClientLoop: ~Copyable {
  /// A request without a body.
  private enum Control {
    case cancel(UInt64)
    case credit(UInt64, UInt32)
  }

  private let inbox: Mailbox<ClientMessage>
  private let configuration: ConnectionConfiguration
  private let context: Context
  private var link: ClientLink
  private var frames = FrameSet()
  private let arena: Arena
  private var table: ClientCallTable
  private var calls: [UInt64: OutgoingCall] = [:]
  private var controls: [Control] = []
  private var descriptors: [pollfd]
  private var now = ContinuousClock.now
  private var renewal = Renewal()
  private var lastFailure: ConnectionMonitor.Event?

  init(
    _ configuration: ConnectionConfiguration,
    context: Context,
    inbox: Mailbox<ClientMessage>
  ) throws(TransportError) {
    let link = try ClientLink(configuration, context: context)
    descriptors = try link.descriptors(and: inbox.descriptor)
    self.link = link
    self.configuration = configuration
    self.context = context
    self.inbox = inbox
    arena = Arena()
    table = ClientCallTable(
      endpoint: configuration.endpoint,
      connectTimeout: configuration.connectTimeout,
      retry: configuration.retry,
      callsMax: configuration.callsInFlightMax,
      now: now
    )
  }

  consuming func run() {
    var reason = RPCError(.cancelled, "the connection is closed")
    do {
      while try turn() {}
    } catch {
      reason = RPCError(.unavailable, "the client's socket failed: \(error)", cause: error)
    }
    for case .start(_, let call) in inbox.close() { call.sink.fail(reason) }
    perform(table.endAll(reason))
  }

  /// - Returns: `false` when the connection is to be closed.
  private mutating func turn() throws(TransportError) -> Bool {
    now = .now
    try followConnection()
    var isBusy = try receiveResponses() > 0
    let messages = inbox.drain()
    var isOpen = true
    for message in messages where !handle(message) { isOpen = false }
    if !isOpen { return false }
    perform(table.expire(now))
    if sendRequests() { isBusy = true }
    if isBusy || !messages.isEmpty { return true }
    // What was sent may have made libzmq take note of an answer without a trace on the
    // descriptor; and a full queue may have room again.
    let events = link.socket.events()
    if events & ZMQ_POLLIN != 0 || (hasUnsent && events & ZMQ_POLLOUT != 0) { return true }
    wait(for: &descriptors, until: earlier(table.nextTimer, renewal.due))
    return true
  }

  private mutating func followConnection() throws(TransportError) {
    // First: a new socket's descriptors show nothing before its events were read once.
    if renewal.isDue(now) { try renewLink() }
    while let event = try link.monitor.next() {
      switch event {
      case .connected:
        table.connected()
        renewal.stop()
        lastFailure = nil
      case .unreachable, .refused, .handshakeClosed, .protocolMismatch: connectionFailed(event)
      case .disconnected:
        guard table.isConnected else {
          renewal.schedule(now)
          continue
        }
        // Answers that came before the loss are still to be had.
        _ = try receiveResponses()
        controls = []
        perform(table.connectionLost(now))
        try renewLink()
      }
    }
  }

  /// Keeps the reason why a connection was not made.
  private mutating func connectionFailed(_ event: ConnectionMonitor.Event) {
    guard
      let failure = ConnectionFailure.error(
        of: event,
        endpoint: configuration.endpoint,
        security: configuration.security
      )
    else { return }
    // The other side may end the connection before it is understood why: the better reason stays.
    if event == .handshakeClosed, lastFailure == .protocolMismatch { return }
    lastFailure = event
    perform(table.connectionFailed(failure, failsCalls: event == .refused))
  }

  private mutating func renewLink() throws(TransportError) {
    let renewed = try ClientLink(configuration, context: context)
    descriptors = try renewed.descriptors(and: inbox.descriptor)
    let lost = exchange(&link, with: renewed)
    lost.abandon()
  }

  private mutating func receiveResponses() throws(TransportError) -> Int {
    var count = 0
    while try frames.receive(from: link.socket) {
      count += 1
      if frames.count >= 2 {
        configuration.observer?(
          .received(Array(frames[frames.count - 2]), Array(frames[frames.count - 1]))
        )
        handleResponse()
      }
      frames.clear()
      arena.reset()
    }
    return count
  }

  private mutating func handleResponse() {
    guard let header = ResponseHeaderView(frames[frames.count - 2], arena: arena) else { return }
    let id = header.callID
    let reception = table.received(
      id,
      isUnavailable: header.isUnavailable,
      retryAfter: header.isExhausted || header.isUnavailable ? header.makeError().retryAfter : nil,
      isLast: header.endsStream || !header.isOK,
      jitter: .random(in: 0..<1),
      now: now
    )
    guard let call = calls[id] else { return }
    switch reception {
    case .ignore, .retry: break
    case .deliver: deliver(header, call.sink, id)
    case .deliverLast:
      calls[id] = nil
      deliver(header, call.sink, id)
    }
  }

  private mutating func deliver(_ header: ResponseHeaderView, _ sink: AnswerSink, _ id: UInt64) {
    guard header.isOK else { return sink.fail(header.makeError()) }
    let body = frames[frames.count - 1]
    switch sink {
    case .unary(let answer): answer.resolve(.success(Array(body)))
    case .stream(let continuation):
      if header.hasMessage, !continuation.yield(Array(body)) {
        continuation.finish(RPCError(.internal, "the server sent more than it had credit for"))
        giveUp(id)
      } else if header.endsStream {
        continuation.finish()
      }
    }
  }

  /// - Returns: `false` when the connection is to be closed.
  private mutating func handle(_ message: ClientMessage) -> Bool {
    switch message {
    case .start(let id, let call):
      if let refusal = table.start(id, isSafe: call.isSafe, deadline: call.deadline, now: now) {
        call.sink.fail(refusal)
      } else {
        calls[id] = call
      }
    case .cancel(let id): giveUp(id)
    case .credit(let id, let count):
      if table.isRunning(id) { controls.append(.credit(id, UInt32(clamping: count))) }
    case .close: return false
    }
    return true
  }

  private mutating func giveUp(_ id: UInt64) {
    calls[id] = nil
    perform(table.cancel(id))
  }

  private mutating func perform(_ actions: [ClientCallTable.Action]) {
    for action in actions {
      switch action {
      case .fail(let id, let error): calls.removeValue(forKey: id)?.sink.fail(error)
      case .sendCancel(let id): controls.append(.cancel(id))
      }
    }
  }

  private var hasUnsent: Bool {
    mutating get { table.nextUnsent() != nil || !controls.isEmpty }
  }

  /// - Returns: Whether anything was sent.
  private mutating func sendRequests() -> Bool {
    var hasSent = false
    // Not when the turn began: a call that arrived since would get more time than it has.
    let now = ContinuousClock.now
    while let (id, deadline) = table.nextUnsent() {
      guard let call = calls[id] else {
        table.sent(id)
        continue
      }
      let header = RequestHeaderEncoder.call(
        id,
        call,
        timeout: deadline.map { $0 - now },
        arena: arena
      )
      arena.reset()
      guard send(header, call.request) else { return hasSent }
      table.sent(id)
      hasSent = true
    }
    while let control = controls.first {
      let header =
        switch control {
        case .cancel(let id): RequestHeaderEncoder.cancel(id, arena: arena)
        case .credit(let id, let count): RequestHeaderEncoder.credit(id, count, arena: arena)
        }
      arena.reset()
      guard send(header, []) else { return hasSent }
      controls.removeFirst()
      hasSent = true
    }
    return hasSent
  }

  private func send(_ header: [UInt8], _ body: [UInt8]) -> Bool {
    let isSent =
      header.withUnsafeBytes { link.socket.send($0, more: true) } == .sent
      && body.withUnsafeBytes { link.socket.send($0) } == .sent
    if isSent { configuration.observer?(.sent(header, body)) }
    return isSent
  }
}
