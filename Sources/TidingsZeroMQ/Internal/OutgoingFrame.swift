internal import CZeroMQ
internal import Glibc

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

  /// A frame that is counted until libzmq has sent or dropped it.
  ///
  /// `nil` without memory for it.
  init?(byteCount: Int, counting portion: UnreadAnswers.Portion) {
    // In front of the bytes stands what is counted: libzmq returns only where they begin.
    guard let memory = malloc(Self.prefixBytes + byteCount) else { return nil }
    memory.storeBytes(of: portion.bytes, as: Int.self)
    let frame = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
    let data = memory + Self.prefixBytes
    let hint = Unmanaged.passRetained(portion.count)
    let release: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = {
      data,
      hint in
      guard let data, let hint else { return }
      let memory = data - OutgoingFrame.prefixBytes
      let count = Unmanaged<UnreadAnswers.Count>.fromOpaque(hint).takeRetainedValue()
      count.add(-memory.load(as: Int.self))
      free(memory)
    }
    guard zmq_msg_init_data(frame, data, byteCount, release, hint.toOpaque()) == 0 else {
      hint.release()
      free(memory)
      frame.deallocate()
      return nil
    }
    portion.count.add(portion.bytes)
    self.frame = frame
    bytes = UnsafeMutableRawBufferPointer(start: data, count: byteCount)
  }

  private static let prefixBytes = 16

  deinit {
    zmq_msg_close(frame)
    frame.deallocate()
  }

  /// Gives the frame to a socket; libzmq leaves an empty one behind.
  func send(on socket: UnsafeMutableRawPointer, flags: CInt) -> CInt {
    zmq_msg_send(frame, socket, flags)
  }
}
