internal import CZeroMQ

/// The message of a request, for as long as anybody needs it, on any thread.
///
/// A large one stays where libzmq received it: to copy it would take longer than a turn may.
public struct KeptBody: Sendable {
  /// Messages of so many bytes are not copied.
  ///
  /// Smaller ones may be part of a buffer of libzmq that is much larger than they are.
  static let sharedBytesMin = 64 << 10

  /// Unchecked: nobody changes the bytes, and libzmq counts who has them with atomic operations.
  private final class Frame: @unchecked Sendable {
    let message = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)

    init(sharing other: UnsafeMutablePointer<zmq_msg_t>) {
      zmq_msg_init(message)
      zmq_msg_copy(message, other)
    }

    deinit {
      zmq_msg_close(message)
      message.deallocate()
    }
  }

  private enum Storage {
    case bytes([UInt8])
    case frame(Frame)
  }

  private let storage: Storage

  /// The content of a frame, whose first owner may give it up.
  init(of frame: UnsafeMutablePointer<zmq_msg_t>) {
    let bytes = UnsafeRawBufferPointer(start: zmq_msg_data(frame), count: zmq_msg_size(frame))
    storage =
      bytes.count < Self.sharedBytesMin ? .bytes(Array(bytes)) : .frame(Frame(sharing: frame))
  }

  /// How many bytes the message has.
  public var count: Int {
    switch storage {
    case .bytes(let bytes): bytes.count
    case .frame(let frame): zmq_msg_size(frame.message)
    }
  }

  /// Lends the bytes to a closure.
  public func withUnsafeBytes<Value>(
    _ body: (UnsafeRawBufferPointer) throws -> Value
  ) rethrows -> Value {
    switch storage {
    case .bytes(let bytes): return try bytes.withUnsafeBytes(body)
    case .frame(let frame):
      defer { withExtendedLifetime(frame) {} }
      return try body(
        UnsafeRawBufferPointer(
          start: zmq_msg_data(frame.message),
          count: zmq_msg_size(frame.message)
        )
      )
    }
  }

  /// The bytes as an array, which is a copy.
  var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
