internal import CZMTPFilter
internal import CZeroMQ
internal import Glibc

/// One libzmq socket; create, use and drop it on one thread.
struct Socket: ~Copyable {
  /// What became of a frame that was to be sent without waiting.
  enum Sending: Equatable {
    /// libzmq has it.
    case sent
    /// The queue to the peer is full.
    case full
    /// ROUTER: there is no such peer any more.
    case unreachable
  }

  /// Open as long as anybody refers to it.
  final class Opening {
    let handle: UnsafeMutableRawPointer
    private let context: Context

    init(_ context: Context, kind: CInt) throws(TransportError) {
      guard let handle = zmq_socket(context.handle, kind) else {
        throw TransportError(errnoOf: "making a socket")
      }
      self.handle = handle
      self.context = context
    }

    deinit { zmq_close(handle) }
  }

  let opening: Opening
  private let handle: UnsafeMutableRawPointer

  init(_ context: Context, kind: CInt) throws(TransportError) {
    opening = try Opening(context, kind: kind)
    handle = opening.handle
  }

  /// Listens at an endpoint.
  ///
  /// - Parameters:
  ///   - endpoint: Where.
  ///   - hidesIdentities: libzmq does not see the routing ids that peers claim.
  ///   - peers: Who connects, if what they send counts (`InboundBytes`).
  /// - Returns: The endpoint as bound.
  /// - Throws: When libzmq or the system refuses it.
  func bind(
    _ endpoint: String,
    hidesIdentities: Bool = false,
    of peers: InboundBytes.Peers? = nil
  ) throws(TransportError) -> String {
    // libzmq listens on this thread.
    let hiding = hidesIdentities ? CInt(TIDINGS_HIDES_IDENTITIES) : 0
    tidings_zmtp_filter_mark_listeners(hiding | (peers?.mark ?? 0))
    defer { tidings_zmtp_filter_mark_listeners(0) }
    guard zmq_bind(handle, endpoint) == 0 else {
      let failure = TransportError(errnoOf: "binding \(endpoint)")
      guard failure.code == EADDRINUSE else { throw failure }
      throw TransportError(
        code: failure.code,
        "\(failure.message): stop the program that listens there, or choose another endpoint"
      )
    }
    return try lastEndpoint()
  }

  /// Listens where only this process can connect.
  ///
  /// - Parameter hidesIdentities: libzmq does not see the routing ids that peers claim.
  /// - Returns: The endpoint.
  /// - Throws: When libzmq or the system refuses it.
  func bindPrivately(hidesIdentities: Bool = false) throws(TransportError) -> String {
    try set(ZMQ_IPC_FILTER_PID, getpid())
    let name = (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 16) }
    return try bind(
      "ipc://@tidings-\(name.joined(separator: "-"))",
      hidesIdentities: hidesIdentities
    )
  }

  func connect(_ endpoint: String) throws(TransportError) {
    guard zmq_connect(handle, endpoint) == 0 else {
      throw TransportError(errnoOf: "connecting to \(endpoint)")
    }
  }

  /// Sends a frame without waiting.
  func send(_ bytes: UnsafeRawBufferPointer, more: Bool = false) -> Sending {
    let flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)
    while zmq_send(handle, bytes.baseAddress, bytes.count, flags) < 0 {
      guard let outcome = Self.outcome(zmq_errno()) else { continue }
      return outcome
    }
    return .sent
  }

  /// Sends a frame that was written in place.
  func send(_ frame: borrowing OutgoingFrame) -> Sending {
    while frame.send(on: handle, flags: ZMQ_DONTWAIT) < 0 {
      guard let outcome = Self.outcome(zmq_errno()) else { continue }
      return outcome
    }
    return .sent
  }

  /// Receives a frame into a slot without waiting.
  ///
  /// - Returns: Whether more frames of the message follow; `nil` when none is waiting.
  func receive(into frame: UnsafeMutablePointer<zmq_msg_t>) throws(TransportError) -> Bool? {
    while zmq_msg_recv(frame, handle, ZMQ_DONTWAIT) < 0 {
      switch zmq_errno() {
      case EAGAIN: return nil
      case EINTR: continue
      default: throw TransportError(errnoOf: "receiving")
      }
    }
    return zmq_msg_more(frame) != 0
  }

  /// Receives a message without waiting.
  ///
  /// - Returns: Whether there was one.
  func receive(_ frames: inout FrameSet) throws(TransportError) -> Bool {
    try frames.receive(from: self)
  }

  func set(_ option: CInt, _ value: CInt) throws(TransportError) {
    var value = value
    guard zmq_setsockopt(handle, option, &value, MemoryLayout<CInt>.size) == 0 else {
      throw TransportError(errnoOf: "setting socket option \(option)")
    }
  }

  func set(_ option: CInt, _ value: Int64) throws(TransportError) {
    var value = value
    guard zmq_setsockopt(handle, option, &value, MemoryLayout<Int64>.size) == 0 else {
      throw TransportError(errnoOf: "setting socket option \(option)")
    }
  }

  func set(_ option: CInt, _ value: [UInt8]) throws(TransportError) {
    guard zmq_setsockopt(handle, option, value, value.count) == 0 else {
      throw TransportError(errnoOf: "setting socket option \(option)")
    }
  }

  /// What can be done now.
  ///
  /// Also makes libzmq take note of what its I/O thread reported.
  func events() -> CInt { (try? get(ZMQ_EVENTS)) ?? 0 }

  /// Readable when `events` may have changed; it is not a measure of readiness itself.
  func descriptor() throws(TransportError) -> CInt { try get(ZMQ_FD) }

  private func get(_ option: CInt) throws(TransportError) -> CInt {
    var value: CInt = 0
    var size = MemoryLayout<CInt>.size
    while zmq_getsockopt(handle, option, &value, &size) != 0 {
      if zmq_errno() != EINTR { throw TransportError(errnoOf: "reading socket option \(option)") }
    }
    return value
  }

  private func lastEndpoint() throws(TransportError) -> String {
    var bytes = [CChar](repeating: 0, count: 512)
    var size = bytes.count
    guard zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &bytes, &size) == 0 else {
      throw TransportError(errnoOf: "reading the bound endpoint")
    }
    return String(
      decoding: bytes.prefix(max(size - 1, 0)).map { UInt8(bitPattern: $0) },
      as: UTF8.self
    )
  }

  /// What a failed send means; `nil`: try again.
  ///
  /// Every other failure of a send means that the peer cannot be reached.
  private static func outcome(_ code: CInt) -> Sending? {
    switch code {
    case EINTR: nil
    case EAGAIN: .full
    default: .unreachable
    }
  }
}
