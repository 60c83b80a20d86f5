internal import CZeroMQ
internal import Glibc
internal import TidingsKeys

/// Decides who may connect: answers libzmq's requests on a thread of its own.
///
/// libzmq lets everybody in while nobody is bound to the endpoint, so this comes before any socket
/// that needs it and goes after them, and whoever hears that it failed must stop serving.
final class ZAPHandler: Sendable {
  fileprivate enum Command: Sendable {
    case open(probe: PublicKey)
    case fail
    case stop
  }

  static let endpoint = "inproc://zeromq.zap.01"

  private let commands = Mailbox<Command>()
  private let ended = Mailbox<Void>()

  /// Starts the thread; it answers nobody before `open`.
  ///
  /// - Parameters:
  ///   - context: Of the sockets to be guarded.
  ///   - admit: Answers with a key's number, or `nil` to refuse it; must not wait.
  ///   - report: Takes note of refusals; `false`: not now.
  ///   - failed: The thread ends other than by `stop`.
  /// - Throws: When the endpoint cannot be bound.
  init(
    _ context: Context,
    admit: @escaping @Sendable (PublicKey) -> Int64?,
    report: @escaping @Sendable ([RefusedHandshake]) -> Bool,
    failed: @escaping @Sendable (TransportError) -> Void
  ) throws(TransportError) {
    let bound = Mailbox<Result<Void, TransportError>>()
    let (commands, ended) = (commands, ended)
    try LoopThread.start("tidings-zap") {
      do throws(TransportError) {
        let loop = try ZAPLoop(context, commands: commands, admit: admit, report: report)
        bound.send(.success(()))
        try loop.run()
      } catch {
        if !bound.send(.failure(error)) { failed(error) }
      }
      ended.send(())
    }
    Self.wait(for: bound.descriptor)
    // Closed: a failure from now on concerns the server.
    for result in bound.close() { try result.get() }
  }

  deinit { commands.send(.stop) }

  /// Begins to answer.
  ///
  /// - Parameter probe: The key of the self-test, whose refusal is not worth a note.
  func open(probe: PublicKey) { commands.send(.open(probe: probe)) }

  /// Ends the thread as if its socket had failed.
  func fail() { commands.send(.fail) }

  /// Ends the thread, and waits for its end.
  func stop() {
    commands.send(.stop)
    Self.wait(for: ended.descriptor)
  }

  private static func wait(for descriptor: CInt) {
    var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    while descriptors[0].revents == 0 { TidingsZeroMQ.wait(for: &descriptors, until: nil) }
  }
}

/// The thread that answers: owns the socket.
private struct ZAPLoop: ~Copyable {
  private struct WaitingReply {
    let due: ContinuousClock.Instant
    let peer: [UInt8]
    let id: [UInt8]
  }

  private let socket: Socket
  private let commands: Mailbox<ZAPHandler.Command>
  private let admit: @Sendable (PublicKey) -> Int64?
  private let report: @Sendable ([RefusedHandshake]) -> Bool
  private var frames = FrameSet()
  private var descriptors: [pollfd]
  private var probe: PublicKey?
  private var throttle = RefusalThrottle()
  private var refusals = RefusalLog()
  /// The order is that in which they are due.
  private var waiting: [WaitingReply] = []

  init(
    _ context: Context,
    commands: Mailbox<ZAPHandler.Command>,
    admit: @escaping @Sendable (PublicKey) -> Int64?,
    report: @escaping @Sendable ([RefusedHandshake]) -> Bool
  ) throws(TransportError) {
    // ROUTER, so that one that waits for its answer holds nobody up.
    let socket = try Socket(context, kind: ZMQ_ROUTER)
    try socket.set(ZMQ_LINGER, CInt(0))
    try socket.set(ZMQ_SNDHWM, CInt(0))
    try socket.set(ZMQ_RCVHWM, CInt(0))
    _ = try socket.bind(ZAPHandler.endpoint)
    descriptors = [commands.descriptor, try socket.descriptor()].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    self.socket = socket
    self.commands = commands
    self.admit = admit
    self.report = report
  }

  consuming func run() throws(TransportError) {
    while true {
      for command in commands.drain() {
        switch command {
        case .open(let probe): self.probe = probe
        case .fail: throw TransportError("the thread that admits connections ended")
        case .stop: return
        }
      }
      let now = ContinuousClock.now
      let isBusy = probe == nil ? false : try answer(now)
      sendWaiting(now)
      reportRefusals(now)
      if isBusy || (probe != nil && socket.events() & ZMQ_POLLIN != 0) { continue }
      // A full report is tried again when it may be taken.
      wait(for: &descriptors, until: earlier(waiting.first?.due, refusals.due(now)))
    }
  }

  /// - Returns: Whether there was a request.
  private mutating func answer(_ now: ContinuousClock.Instant) throws(TransportError) -> Bool {
    guard try frames.receive(from: socket) else { return false }
    defer { frames.clear() }
    // The way back, an empty delimiter, the request.
    guard frames.count >= 2, !frames.isTruncated else { return true }
    var parts: [UnsafeRawBufferPointer] = []
    for index in 2..<frames.count { parts.append(frames[index]) }
    guard let request = ZAPRequest(parts) else { return true }
    let peer = Array(frames[0])
    if let key = request.publicKey, let number = admit(key) {
      send(.admitted(number), to: peer, request.id)
    } else {
      refuse(request, peer, now)
    }
    return true
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
