internal import CZeroMQ
internal import Glibc
internal import TidingsKeys
internal import TidingsThreads

/// Decides who may connect, and assigns routing ids: answers libzmq's requests on a thread of its own.
///
/// It also follows connections, so that their numbers and their ends can be distinguished
/// in order; see `ConnectionWatch`.
///
/// libzmq lets everybody in while nobody is bound to the endpoint, so this comes before any socket
/// that needs it and goes after them, and the server must stop when it failed.
final class ZAPHandler: Sendable {
  fileprivate enum Command: Sendable {
    case open(refusing: PublicKey, admitting: PublicKey)
    case forgetClaimant
    case watch(ConnectionWatch)
    case end(ConnectionSlot, floor: UInt64)
    case used(ConnectionNumber)
    case fail
    case stop
  }

  static let endpoint = "inproc://zeromq.zap.01"

  private let commands = Mailbox<Command>()
  private let ended = Mailbox<Void>()
  /// What happens to connections.
  let events = Mailbox<ConnectionEvent>()

  /// Starts the thread; it answers nobody before `open`.
  ///
  /// - Parameters:
  ///   - context: Of the sockets to be guarded.
  ///   - unusedPerOwnerMax: Most connections of one owner that are used for nothing yet.
  ///   - admit: Answers with what is known of a key, or `nil` to refuse it; must not wait. `nil`: connections have
  ///     no keys, and all are admitted.
  ///   - report: Takes note of refusals; `false`: not now.
  ///   - failed: The thread ends other than by `stop`.
  /// - Throws: When the endpoint cannot be bound.
  init(
    _ context: Context,
    unusedPerOwnerMax: Int,
    admit: (@Sendable (PublicKey) -> AdmittedKey?)?,
    report: @escaping @Sendable ([RefusedHandshake]) -> Bool,
    failed: @escaping @Sendable (TransportError) -> Void
  ) throws(TransportError) {
    let bound = Mailbox<Result<Void, TransportError>>()
    let (commands, ended, events) = (commands, ended, events)
    try startLoopThread("tidings-zap") {
      do throws(TransportError) {
        let loop = try ZAPLoop(
          context,
          commands: commands,
          events: events,
          unusedPerOwnerMax: unusedPerOwnerMax,
          admit: admit,
          report: report
        )
        bound.send(.success(()))
        try loop.run()
      } catch {
        if !bound.send(.failure(error)) { failed(error) }
      }
      ended.send(())
    }
    wait(for: bound.descriptor)
    // Closed: a failure from now on concerns the server.
    for result in bound.close() { try result.get() }
  }

  deinit { commands.send(.stop) }

  /// Begins to answer.
  ///
  /// - Parameters:
  ///   - probe: A key of the self-test, whose refusal is not worth a note.
  ///   - claimant: Another one, which is admitted during the test.
  func open(refusing probe: PublicKey, admitting claimant: PublicKey) {
    commands.send(.open(refusing: probe, admitting: claimant))
  }

  /// The self-test is over.
  func forgetClaimant() { commands.send(.forgetClaimant) }

  /// Follows the connections of a socket that is not yet bound.
  func watch(_ watch: ConnectionWatch) { commands.send(.watch(watch)) }

  /// A connection is used for the first time.
  func used(_ number: ConnectionNumber) { commands.send(.used(number)) }

  /// Ends a connection, unless it has ended.
  ///
  /// - Parameters:
  ///   - slot: Where it is.
  ///   - floor: Distinguishes it from earlier and later ones.
  func end(_ slot: ConnectionSlot, floor: UInt64) { commands.send(.end(slot, floor: floor)) }

  /// Ends the thread as if its socket had failed.
  func fail() { commands.send(.fail) }

  /// Ends the thread, and waits for its end.
  func stop() {
    commands.send(.stop)
    wait(for: ended.descriptor)
  }
}

/// The thread that answers: owns the socket.
private struct ZAPLoop: ~Copyable {
  private struct WaitingReply {
    let due: ContinuousClock.Instant
    let peer: [UInt8]
    let id: [UInt8]
  }

  /// Most requests that are answered together.
  private static let requestsMax = 64

  private let socket: Socket
  private let commands: Mailbox<ZAPHandler.Command>
  private let events: Mailbox<ConnectionEvent>
  private let admit: (@Sendable (PublicKey) -> AdmittedKey?)?
  /// With CURVE only: without it, libzmq does not see what peers claim.
  private var fence: IOThreadFence?
  private var watches: [ListeningSocket: ConnectionWatch] = [:]
  /// The last number given to a connection.
  private var lastNumber: UInt64 = 0
  private let report: @Sendable ([RefusedHandshake]) -> Bool
  private var frames = FrameSet()
  private var descriptors: [pollfd]
  private var probe: PublicKey?
  private var claimant: PublicKey?
  private var throttle = RefusalThrottle()
  private var refusals = RefusalLog()
  private var unused: UnusedConnections
  /// The order is that in which they are due.
  private var waiting: [WaitingReply] = []

  init(
    _ context: Context,
    commands: Mailbox<ZAPHandler.Command>,
    events: Mailbox<ConnectionEvent>,
    unusedPerOwnerMax: Int,
    admit: (@Sendable (PublicKey) -> AdmittedKey?)?,
    report: @escaping @Sendable ([RefusedHandshake]) -> Bool
  ) throws(TransportError) {
    var fence: IOThreadFence?
    if admit != nil { fence = try IOThreadFence(context) }
    try fence?.pass()
    // ROUTER, so that one that waits for its answer holds nobody up.
    let socket = try Socket(context, kind: ZMQ_ROUTER)
    try socket.set(ZMQ_LINGER, CInt(0))
    try socket.set(ZMQ_SNDHWM, CInt(0))
    try socket.set(ZMQ_RCVHWM, CInt(0))
    _ = try socket.bind(ZAPHandler.endpoint)
    // Questions wait until the store is open.
    descriptors = [commands.descriptor, -1].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    self.socket = socket
    self.commands = commands
    self.events = events
    self.admit = admit
    unused = UnusedConnections(perOwnerMax: unusedPerOwnerMax)
    self.fence = fence
    self.report = report
  }

  consuming func run() throws(TransportError) {
    while true {
      for command in commands.drain() {
        switch command {
        case .open(let probe, let claimant):
          (self.probe, self.claimant) = (probe, claimant)
          descriptors[1].fd = try socket.descriptor()
        case .forgetClaimant: claimant = nil
        case .watch(let watch): add(watch)
        case .end(let slot, let floor): try end(slot, floor)
        case .used(let number): unused.used(number)
        case .fail: throw TransportError("the thread that admits connections ended")
        case .stop: return
        }
      }
      let now = ContinuousClock.now
      try followConnections(now)
      let isBusy = probe == nil ? false : try answer(now)
      sendWaiting(now)
      reportRefusals(now)
      if isBusy || (probe != nil && socket.events() & ZMQ_POLLIN != 0) { continue }
      // A full report is tried again when it may be taken.
      var timer = earlier(waiting.first?.due, refusals.due(now))
      for watch in watches.values { timer = earlier(timer, watch.nextLook) }
      wait(for: &descriptors, until: timer)
    }
  }

  private mutating func add(_ watch: ConnectionWatch) {
    watches[watch.socket] = watch
    descriptors.append(pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0))
  }

  private mutating func followConnections(
    _ now: ContinuousClock.Instant
  ) throws(TransportError) {
    for watch in watches.values { try watch.follow(now, &lastNumber) { events.send($0) } }
  }

  private mutating func end(_ slot: ConnectionSlot, _ floor: UInt64) throws(TransportError) {
    try watches[slot.socket]?.end(slot.descriptor, floor: floor, .now, &lastNumber) {
      events.send($0)
    }
  }

  /// - Returns: Whether there was a request.
  private mutating func answer(_ now: ContinuousClock.Instant) throws(TransportError) -> Bool {
    let requests = try receiveRequests()
    if requests.isEmpty { return false }
    // No request is answered before the I/O thread has read all that came with it, and before the
    // connection that it is about, and the end of those before it, are reported.
    try fence?.pass()
    try followConnections(now)
    for (peer, request) in requests {
      if let reply = admission(of: request, now) {
        send(reply, to: peer, request.id)
      } else {
        refuse(request, peer, now)
      }
    }
    return true
  }

  private mutating func receiveRequests()
    throws(TransportError) -> [(peer: [UInt8], request: ZAPRequest)]
  {
    var requests: [(peer: [UInt8], request: ZAPRequest)] = []
    while requests.count < Self.requestsMax, try frames.receive(from: socket) {
      defer { frames.clear() }
      // The way back, an empty delimiter, the request.
      guard frames.count >= 2, !frames.isTruncated else { continue }
      var parts: [UnsafeRawBufferPointer] = []
      for index in 2..<frames.count { parts.append(frames[index]) }
      if let request = ZAPRequest(parts) { requests.append((Array(frames[0]), request)) }
    }
    return requests
  }

  /// The reply that lets a connection in; `nil`: it is refused.
  private mutating func admission(
    of request: ZAPRequest,
    _ now: ContinuousClock.Instant
  ) -> ZAPReply? {
    var admitted: AdmittedKey?
    if let admit {
      guard let key = request.publicKey else { return nil }
      admitted = admit(key)
      guard admitted != nil || key == claimant else { return nil }
    } else if !request.isNull {
      return nil
    }
    if let admitted, !unused.admits(admitted.owner, now) { return .dropped }
    lastNumber += 1
    let connection = ConnectionNumber(lastNumber)
    if let admitted { unused.add(connection, of: admitted.owner, now) }
    return .admitted(keyNumber: admitted?.number, connection)
  }

  private mutating func refuse(
    _ request: ZAPRequest,
    _ peer: [UInt8],
    _ now: ContinuousClock.Instant
  ) {
    if let key = request.publicKey, key == probe { return send(.refused, to: peer, request.id) }
    refusals.note(.init(publicKey: request.publicKey, address: request.address, count: 1))
    switch throttle.refuse(request.address, waiting: waiting.count, now: now) {
    case .now: send(.refused, to: peer, request.id)
    case .later(let due): waiting.append(.init(due: due, peer: peer, id: request.id))
    case .silence: send(.dropped, to: peer, request.id)
    }
  }

  private mutating func sendWaiting(_ now: ContinuousClock.Instant) {
    let count = waiting.firstIndex { $0.due > now } ?? waiting.count
    for reply in waiting[..<count] { send(.refused, to: reply.peer, reply.id) }
    waiting.removeFirst(count)
  }

  private mutating func reportRefusals(_ now: ContinuousClock.Instant) {
    guard let due = refusals.due(now), due <= now else { return }
    let taken = refusals.take(now)
    if !report(taken) { for refusal in taken { refusals.note(refusal) } }
  }

  /// A connection that is gone takes no reply; that is its affair.
  private func send(_ reply: ZAPReply, to peer: [UInt8], _ id: [UInt8]) {
    let frames = [peer, []] + reply.frames(to: id)
    for (index, frame) in frames.enumerated() {
      let more = index < frames.count - 1
      guard frame.withUnsafeBytes({ socket.send($0, more: more) }) == .sent else { return }
    }
  }
}
