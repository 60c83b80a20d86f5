internal import CZeroMQ

/// A frame that is written where libzmq will send it from.
struct OutgoingFrame: ~Copyable {
  private let frame: UnsafeMutablePointer<zmq_msg_t>
  /// The frame's memory.
  let bytes: UnsafeMutableRawBufferPointer

  /// `nil` without memory for it.
  init?(byteCount: Int) {
    frame = .allocate(capacity: 1)
    guard zmq_msg_init_size(frame, byteCount) == 0 else {
      frame.deallocate()
      return nil
    }
    bytes = UnsafeMutableRawBufferPointer(start: zmq_msg_data(frame), count: byteCount)
  }

  deinit {
    zmq_msg_close(frame)
    frame.deallocate()
  }

  /// Gives the frame to a socket; libzmq leaves an empty one behind.
  func send(on socket: UnsafeMutableRawPointer, flags: CInt) -> CInt {
    zmq_msg_send(frame, socket, flags)
  }
}
