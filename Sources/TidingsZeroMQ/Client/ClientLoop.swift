internal import CZeroMQ
internal import TidingsRPC

/// A client's DEALER socket and its calls: performs what the `ClientCallTable` decides.
///
/// It is used by one thread at a time; `ClientDriver` sees to that.
struct ClientLoop: ~Copyable {
  /// What the thread is to do after a turn.
  enum Next {
    case again
    /// Wait until a moment, or until one of the descriptors is readable.
    case wait(ContinuousClock.Instant?, WatchedDescriptors)
    /// The connection is closed.
    case end
  }

  /// A request without a body.
  private enum Control {
    case cancel(UInt64)
    case credit(UInt64, UInt32)
  }

  private let inbox: ClientInbox
  private let configuration: ConnectionConfiguration
  private let context: Context
  private var link: ClientLink
  /// The connection before, to a server that drains: it is kept until its calls are answered.
  private var previous: ClientLink?
  private var hasPrevious = false
  /// What was sent on it made libzmq take note of an answer, which its descriptor does not show any more.
  private var previousHasMore = false
  private var frames = FrameSet()
  private var table: ClientCallTable
  private var calls: [UInt64: OutgoingCall] = [:]
  private var controls: [Control] = []
  private var previousControls: [Control] = []
  private var descriptors: WatchedDescriptors
  private let clock: ConnectionClock
  private var now = Duration.zero
  /// When the thread wakes by itself.
  private var wakesAt: Duration? = .zero
  private var ring: EndpointRing
  /// Where the last connection was made to.
  private var lastEndpoint: String?
  /// The server refused a call because it drains, and there is another.
  private var mustLeave = false
  private var isClosing = false
  /// The monitor's descriptor was readable, or never looked at.
  private var hasEvents = true
  /// Answers that were received and are not given yet.
  private var answers: [(PendingAnswer, PendingAnswer.Answer)] = []

  init(
    _ configuration: ConnectionConfiguration,
    _ clock: ConnectionClock,
    context: Context,
    inbox: ClientInbox
  ) throws(TransportError) {
    let ring = EndpointRing(
      configuration.endpoints,
      configuration.security,
      connectTimeout: configuration.connectTimeout,
      now: .now
    )
    let link = try ClientLink(configuration, by: ring.route, context: context)
    descriptors = WatchedDescriptors(inbox: inbox.descriptor, link: try link.descriptors())
    self.link = link
    self.ring = ring
    self.configuration = configuration
    self.context = context
    self.inbox = inbox
    self.clock = clock
    table = ClientCallTable(
      endpoint: ring.current,
      endpointsCount: configuration.endpoints.count,
      connectTimeout: configuration.connectTimeout,
      retry: configuration.retry,
      callsMax: configuration.callsInFlightMax,
      now: now
    )
    reportProgress()
  }

  /// No call waits for an answer.
  var isIdle: Bool { table.count == 0 }

  /// Does what there is to do.
  ///
  /// - Parameter hasEvents: Something may have happened to the connection.
  /// - Returns: What the thread is to do next.
  mutating func turn(hasEvents: Bool) -> Next {
    if hasEvents { self.hasEvents = true }
    do {
      if let next = try work() { return next }
      end(RPCError(.cancelled, "the connection is closed"))
    } catch {
      end(RPCError(.unavailable, "the client's socket failed: \(error)", cause: error))
    }
    return .end
  }

  /// Sends the calls of the inbox if no other waits for an answer.
  ///
  /// - Returns: `false` when the thread is needed all the same.
  mutating func sendIfIdle() -> Bool {
    guard isIdle, table.isConnected else { return false }
    now = clock.now
    for message in inbox.takeAll() where !handle(message) { isClosing = true }
    _ = sendRequests()
    // As in `work`.
    return wakesInTime && !isClosing && !hasUnsent && !previousHasMore
      && link.socket.events() & ZMQ_POLLIN == 0
  }

  /// The thread wakes by itself before anything is due.
  private var wakesInTime: Bool {
    guard let due = table.nextTimer else { return true }
    return wakesAt.map { $0 <= due } ?? false
  }

  private mutating func end(_ reason: RPCError) {
    inbox.note(isConnected: false)
    for case .start(let call) in inbox.close() { call.sink.fail(reason) }
    perform(table.endAll(reason))
  }

  /// - Returns: `nil` when the connection is to be closed.
  private mutating func work() throws(TransportError) -> Next? {
    now = clock.now
    try followConnection()
    if hasPrevious { try followPrevious() }
    try receiveResponses()
    for message in inbox.takeAll() where !handle(message) { isClosing = true }
    if isClosing { return nil }
    perform(table.expire(now))
    inbox.note(isConnected: table.isConnected)
    let hasSent = sendRequests()
    if previousHasMore { return .again }
    if hasSent || hasUnsent {
      // What was sent may have made libzmq take note of an answer without a trace on the
      // descriptor; and a full queue may have room again.
      let events = link.socket.events()
      if events & ZMQ_POLLIN != 0 || (hasUnsent && events & ZMQ_POLLOUT != 0) { return .again }
    }
    wakesAt = table.nextTimer
    return .wait(earlier(table.nextTimer.map { clock.start + $0 }, ring.due), descriptors)
  }

  private mutating func followConnection() throws(TransportError) {
    // First: a new socket's descriptors show nothing before its events were read once.
    if ring.isDue(.now) { try renewLink() }
    guard hasEvents else { return }
    hasEvents = false
    while let event = try link.monitor.next() {
      try follow(event)
      if ring.isDue(.now) { try renewLink() }
    }
  }

  private mutating func follow(_ event: ConnectionMonitor.Event) throws(TransportError) {
    switch event {
    case .connected:
      table.connected()
      ring.connected()
      defer { lastEndpoint = ring.current }
      if let lastEndpoint, lastEndpoint != ring.current { configuration.onMove?() }
    case .connecting:
      ring.connecting()
      reportProgress()
    case .accepted:
      ring.accepted()
      reportProgress()
    case .failed(let failure):
      ring.failed(failure, .now)
      reportFailure()
    case .disconnected:
      if table.isConnected || table.isLeaving {
        // Answers that came before the loss are still to be had.
        try receiveResponses()
        controls = []
        perform(table.connectionLost(now))
      }
      ring.disconnected(.now)
      reportFailure()
    }
  }

  /// Calls that wait for a connection know why there is none, and fail where to wait does not help.
  private mutating func reportFailure() {
    perform(table.connectionFailed(ring.error, failsCalls: ring.isRefusedEverywhere))
  }

  /// The same while an attempt is under way, which may succeed.
  private mutating func reportProgress() {
    perform(table.connectionFailed(ring.error, failsCalls: false))
  }

  private mutating func renewLink() throws(TransportError) {
    let renewed: ClientLink
    do {
      renewed = try ClientLink(configuration, by: ring.route, context: context)
    } catch {
      // The process may have no descriptors left, for a while.
      let reason = RPCError(.unavailable, "there can be no connection: \(error)", cause: error)
      perform(table.connectionFailed(reason, failsCalls: false))
      return ring.disconnected(.now)
    }
    table.connecting(to: ring.current)
    descriptors.watch(try renewed.descriptors())
    hasEvents = true
    let left = exchange(&link, with: renewed)
    if table.awaitsPrevious, !hasPrevious {
      swap(&controls, &previousControls)
      descriptors.watch(previous: try left.descriptors())
      previous = consume left
      hasPrevious = true
    } else {
      controls = []
      left.abandon()
    }
    reportProgress()
  }

  /// Receives the last answers of the connection before, and closes it when there are none to come.
  private mutating func followPrevious() throws(TransportError) {
    guard var link = previous.take() else { return }
    previousHasMore = false
    var isLost = false
    while let event = try link.monitor.next() { isLost = isLost || event == .disconnected }
    while try frames.receive(from: link.socket) { takeResponse(isFromPrevious: true) }
    resolveAnswers()
    if isLost { perform(table.previousConnectionLost()) }
    guard table.awaitsPrevious || !previousControls.isEmpty, !isLost else {
      hasPrevious = false
      previousControls = []
      descriptors.watch(previous: nil)
      return link.abandon()
    }
    previous = consume link
  }

  /// Receives what is there; those who wait for it continue when all of it is read, so that they wake once.
  private mutating func receiveResponses() throws(TransportError) {
    defer { resolveAnswers() }
    while try frames.receive(from: link.socket) { takeResponse(isFromPrevious: false) }
    leaveIfNeeded()
  }

  private mutating func resolveAnswers() {
    for (answer, result) in answers { answer.resolve(result) }
    answers.removeAll(keepingCapacity: true)
  }

  private mutating func takeResponse(isFromPrevious: Bool) {
    if frames.count >= 2 {
      configuration.observer?(
        .received(Array(frames[frames.count - 2]), Array(frames[frames.count - 1]))
      )
      handleResponse(isFromPrevious: isFromPrevious)
    }
    frames.clear()
  }

  /// A server that drains gets no more calls; those that it has are answered on its connection.
  private mutating func leaveIfNeeded() {
    guard mustLeave else { return }
    mustLeave = false
    guard table.isConnected else { return }
    table.leave(now)
    ring.drained(.now)
    reportFailure()
  }

  private mutating func handleResponse(isFromPrevious: Bool) {
    guard let header = ResponseHeaderView(frames[frames.count - 2]) else { return }
    let id = header.callID
    let error = header.isExhausted || header.isUnavailable ? header.makeError() : nil
    // While there is a connection before, calls wait for this one: no more than two are kept.
    let isUnbegun = error?.isDraining ?? false
    let asksNext = isUnbegun && ring.hasSeveral && (isFromPrevious || !hasPrevious)
    if asksNext, !isFromPrevious { mustLeave = true }
    if !asksNext, !isFromPrevious, !ring.isProven, table.isConnected { ring.answered() }
    let reception = table.received(
      id,
      isUnavailable: header.isUnavailable,
      isUnbegun: isUnbegun,
      isUncertain: error?.hasUnknownOutcome ?? false,
      asksNext: asksNext,
      retryAfter: error?.retryAfter,
      isLast: header.endsStream || !header.isOK,
      jitter: .random(in: 0..<1),
      now: now
    )
    switch reception {
    case .ignore, .retry: break
    case .deliver: if let call = calls[id] { deliver(header, call.sink, id) }
    case .deliverLast:
      if let call = calls.removeValue(forKey: id) { deliver(header, call.sink, id) }
    case .deliverUnknown:
      calls.removeValue(forKey: id)?.sink.fail(header.makeError().afterUnknownOutcome)
    }
  }

  private mutating func deliver(_ header: ResponseHeaderView, _ sink: AnswerSink, _ id: UInt64) {
    guard header.isOK else { return sink.fail(header.makeError()) }
    let body = frames[frames.count - 1]
    switch sink {
    case .unary(let answer), .connection(let answer):
      answers.append((answer, .success(Array(body))))
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
    case .start(let call):
      let refusal = table.start(
        call.id,
        isSafe: call.isSafe,
        deadline: call.deadline,
        patience: call.patience,
        now: now
      )
      if let refusal { call.sink.fail(refusal) } else { calls[call.id] = call }
    case .cancel(let id): giveUp(id)
    case .credit(let id, let count):
      guard table.isRunning(id) else { break }
      let credit = Control.credit(id, UInt32(clamping: count))
      if table.isOnPrevious(id) { previousControls.append(credit) } else { controls.append(credit) }
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
      case .sendCancelOnPrevious(let id): previousControls.append(.cancel(id))
      }
    }
  }

  private var hasUnsent: Bool {
    mutating get { table.nextUnsent() != nil || !controls.isEmpty }
  }

  /// - Returns: Whether anything was sent.
  private mutating func sendRequests() -> Bool {
    if hasPrevious { sendPreviousControls() }
    var hasSent = false
    guard table.nextUnsent() != nil || !controls.isEmpty else { return false }
    // Not when the turn began: a call that arrived since would get more time than it has.
    let now = clock.now
    while let (id, deadline) = table.nextUnsent() {
      if case .connection(let answer)? = calls[id]?.sink {
        giveUp(id)
        answer.resolve(.success([]))
        continue
      }
      if let call = calls[id] {
        let isSent = RequestHeaderEncoder.call(call, timeout: deadline.map { $0 - now }) {
          send($0, call.request, on: link)
        }
        guard isSent else { return hasSent }
        hasSent = true
      }
      table.sent(id)
    }
    while let control = controls.first {
      guard send(control, on: link) else { return hasSent }
      controls.removeFirst()
      hasSent = true
    }
    return hasSent
  }

  private mutating func sendPreviousControls() {
    guard let link = previous.take() else { return }
    var hasSent = false
    while let control = previousControls.first, send(control, on: link) {
      previousControls.removeFirst()
      hasSent = true
    }
    if hasSent { previousHasMore = link.socket.events() & ZMQ_POLLIN != 0 }
    previous = consume link
  }

  private func send(_ control: Control, on link: borrowing ClientLink) -> Bool {
    switch control {
    case .cancel(let id): RequestHeaderEncoder.cancel(id) { send($0, [], on: link) }
    case .credit(let id, let count):
      RequestHeaderEncoder.credit(id, count) { send($0, [], on: link) }
    }
  }

  private func send(
    _ header: UnsafeRawBufferPointer,
    _ body: [UInt8],
    on link: borrowing ClientLink
  ) -> Bool {
    let isSent =
      link.socket.send(header, more: true) == .sent
      && body.withUnsafeBytes { link.socket.send($0) } == .sent
    if isSent { configuration.observer?(.sent(Array(header), body)) }
    return isSent
  }
}
