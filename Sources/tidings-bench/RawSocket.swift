import CZeroMQ
import Glibc
import TidingsKeys

/// A libzmq context.
final class RawContext {
  fileprivate let handle: UnsafeMutableRawPointer

  init() throws {
    guard let handle = zmq_ctx_new() else { throw BenchError(zmq: "making a context") }
    self.handle = handle
  }

  deinit { zmq_ctx_term(handle) }
}

/// A libzmq socket as plain as can be: what the benchmark compares with, and measures with.
final class RawSocket {
  /// A socket without events for this long has lost its peer.
  static let timeoutMilliseconds: CInt = 10_000
  /// Messages queued per direction; more than are ever in flight.
  private static let queueMax: CInt = 100_000

  let handle: UnsafeMutableRawPointer
  private let context: RawContext

  init(_ context: RawContext, kind: CInt) throws {
    guard let handle = zmq_socket(context.handle, kind) else {
      throw BenchError(zmq: "making a socket")
    }
    self.handle = handle
    self.context = context
    try set(ZMQ_LINGER, 0)
    try set(ZMQ_SNDHWM, Self.queueMax)
    try set(ZMQ_RCVHWM, Self.queueMax)
    try set(ZMQ_RCVTIMEO, Self.timeoutMilliseconds)
    try set(ZMQ_SNDTIMEO, Self.timeoutMilliseconds)
  }

  deinit { zmq_close(handle) }

  func connect(_ endpoint: String) throws {
    guard zmq_connect(handle, endpoint) == 0 else {
      throw BenchError(zmq: "connecting to \(endpoint)")
    }
  }

  /// Binds to a free port of the loopback interface.
  ///
  /// - Returns: The endpoint.
  func bindToLoopback() throws -> String {
    guard zmq_bind(handle, "tcp://127.0.0.1:*") == 0 else { throw BenchError(zmq: "binding") }
    var bytes = [UInt8](repeating: 0, count: 256)
    var size = bytes.count
    guard zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &bytes, &size) == 0 else {
      throw BenchError(zmq: "reading the bound endpoint")
    }
    return String(decoding: bytes.prefix(max(size - 1, 0)), as: UTF8.self)
  }

  func subscribe(_ topic: [UInt8]) throws {
    guard zmq_setsockopt(handle, ZMQ_SUBSCRIBE, topic, topic.count) == 0 else {
      throw BenchError(zmq: "subscribing")
    }
  }

  /// Takes connections with CURVE only.
  func serve(_ pair: KeyPair) throws {
    try set(ZMQ_CURVE_SERVER, 1)
    try set(ZMQ_CURVE_SECRETKEY, pair.secretKey)
  }

  /// Connects with CURVE.
  func secure(_ keys: ClientKeys) throws {
    try set(ZMQ_CURVE_SERVERKEY, keys.server.bytes)
    try set(ZMQ_CURVE_PUBLICKEY, keys.pair.publicKey.bytes)
    try set(ZMQ_CURVE_SECRETKEY, keys.pair.secretKey)
  }

  private func set(_ option: CInt, _ value: [UInt8]) throws {
    guard zmq_setsockopt(handle, option, value, value.count) == 0 else {
      throw BenchError(zmq: "setting socket option \(option)")
    }
  }

  func set(_ option: CInt, _ value: CInt) throws {
    var value = value
    guard zmq_setsockopt(handle, option, &value, MemoryLayout<CInt>.size) == 0 else {
      throw BenchError(zmq: "setting socket option \(option)")
    }
  }

  /// Sends a frame.
  func send(_ bytes: [UInt8], more: Bool = false) throws {
    try bytes.withUnsafeBytes { try send($0, more: more) }
  }

  /// Sends a frame.
  func send(_ bytes: UnsafeRawBufferPointer, more: Bool = false) throws {
    while zmq_send(handle, bytes.baseAddress, bytes.count, more ? ZMQ_SNDMORE : 0) < 0 {
      guard zmq_errno() == EINTR else { throw BenchError(zmq: "sending") }
      try Interruption.check()
    }
  }

  /// Whether a message is there, or arrives within so many milliseconds.
  func hasMessage(within milliseconds: Int) -> Bool {
    var item = zmq_pollitem_t(socket: handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
    return zmq_poll(&item, 1, milliseconds) > 0
  }

  /// Readable when something happens to the socket, which must first have been found without messages.
  func descriptor() throws -> CInt {
    var (value, size): (CInt, Int) = (0, MemoryLayout<CInt>.size)
    guard zmq_getsockopt(handle, ZMQ_FD, &value, &size) == 0 else {
      throw BenchError(zmq: "reading a socket's descriptor")
    }
    return value
  }

  /// Receives a frame into a slot, waiting for it or not.
  ///
  /// - Returns: Whether there was one; waiting always finds one.
  func receive(into frame: UnsafeMutablePointer<zmq_msg_t>, waits: Bool) throws -> Bool {
    while zmq_msg_recv(frame, handle, waits ? 0 : ZMQ_DONTWAIT) < 0 {
      switch zmq_errno() {
      case EINTR: try Interruption.check()
      case EAGAIN where !waits: return false
      case EAGAIN:
        throw BenchError("nothing was received for \(Self.timeoutMilliseconds / 1000) s")
      default: throw BenchError(zmq: "receiving")
      }
    }
    return true
  }
}

/// Slots for received frames at stable addresses.
final class FrameSlots {
  let start: UnsafeMutablePointer<zmq_msg_t>
  private let count: Int

  init(count: Int) {
    start = .allocate(capacity: count)
    self.count = count
    for index in 0..<count { zmq_msg_init(start + index) }
  }

  deinit {
    for index in 0..<count { zmq_msg_close(start + index) }
    start.deallocate()
  }

  /// The bytes of a frame, valid until the slot is used again.
  subscript(index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: zmq_msg_data(start + index), count: zmq_msg_size(start + index))
  }

  /// Puts a copy of bytes into a slot.
  func set(_ index: Int, _ bytes: UnsafeRawBufferPointer) {
    zmq_msg_close(start + index)
    zmq_msg_init_size(start + index, bytes.count)
    UnsafeMutableRawBufferPointer(start: zmq_msg_data(start + index), count: bytes.count)
      .copyMemory(from: bytes)
  }

  /// Another frame of the same message follows.
  func hasMore(_ index: Int) -> Bool { zmq_msg_more(start + index) != 0 }
}
