import CZeroMQ
import Dispatch
import Glibc
import TidingsProto
import TidingsProtobuf

/// A bare libzmq socket: what a client in another language, or a hostile one, would use.
///
/// Used by one task at a time. Receiving waits on a thread of its own, because tasks have few.
final class RawSocket: @unchecked Sendable {
  private let context = zmq_ctx_new()
  private let handle: UnsafeMutableRawPointer?

  init(_ kind: CInt, receiveQueueMax: CInt = 0) {
    handle = zmq_socket(context, kind)
    set(ZMQ_LINGER, 0)
    set(ZMQ_RCVTIMEO, 600_000)
    set(ZMQ_SNDTIMEO, 600_000)
    set(ZMQ_RCVHWM, receiveQueueMax)
    set(ZMQ_SNDHWM, 0)
  }

  convenience init(_ kind: CInt, connectedTo endpoint: String, receiveQueueMax: CInt = 0) {
    self.init(kind, receiveQueueMax: receiveQueueMax)
    connect(endpoint)
  }

  deinit {
    zmq_close(handle)
    zmq_ctx_term(context)
  }

  func connect(_ endpoint: String) {
    precondition(zmq_connect(handle, endpoint) == 0)
  }

  func setBytes(_ option: CInt, _ value: [UInt8]) {
    precondition(zmq_setsockopt(handle, option, value, value.count) == 0)
  }

  /// Binds to a free port.
  func bind() -> String {
    precondition(zmq_bind(handle, "tcp://127.0.0.1:*") == 0)
    var text = [CChar](repeating: 0, count: 256)
    var size = text.count
    zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &text, &size)
    return String(decoding: text.prefix(size - 1).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func set(_ option: CInt, _ value: CInt) {
    var value = value
    zmq_setsockopt(handle, option, &value, MemoryLayout<CInt>.size)
  }

  func send(_ frames: [[UInt8]]) {
    for (index, frame) in frames.enumerated() {
      let flags = index == frames.count - 1 ? 0 : ZMQ_SNDMORE
      precondition(zmq_send(handle, frame, frame.count, flags) >= 0, "cannot send")
    }
  }

  /// `nil` after 10 minutes.
  func receive() async -> [[UInt8]]? {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: self.receiveWaiting()) }
    }
  }

  private func receiveWaiting() -> [[UInt8]]? {
    var frames: [[UInt8]] = []
    while true {
      var frame = zmq_msg_t()
      zmq_msg_init(&frame)
      defer { zmq_msg_close(&frame) }
      guard zmq_msg_recv(&frame, handle, 0) >= 0 else { return nil }
      let bytes = UnsafeRawBufferPointer(start: zmq_msg_data(&frame), count: zmq_msg_size(&frame))
      frames.append(Array(bytes))
      if zmq_msg_more(&frame) == 0 { return frames }
    }
  }

  /// Sends a call; what precedes its header is given.
  func call(_ header: TidingsRpcV1.RequestHeader, _ body: [UInt8] = [], envelope: [[UInt8]] = []) {
    send(envelope + [header.encoded(), body])
  }

  /// The next response's header, body and what preceded them.
  func response() async throws -> (
    header: TidingsRpcV1.ResponseHeader, body: [UInt8], envelope: [[UInt8]]
  ) {
    guard let frames = await receive(), frames.count >= 2 else { throw NoResponse() }
    return (
      try TidingsRpcV1.ResponseHeader(decoding: frames[frames.count - 2]),
      frames[frames.count - 1], Array(frames.dropLast(2))
    )
  }

  struct NoResponse: Error {}
}

extension RawSocket {
  func setRoutingID(_ id: [UInt8]) { setBytes(ZMQ_ROUTING_ID, id) }
}
