internal import CZeroMQ
internal import Glibc
public import TidingsKeys

/// A libzmq socket without any manners, for what no client of ours would send.
public final class RawSocket: @unchecked Sendable {
  // Used by one task at a time; libzmq lets a socket move between threads with a full fence, which
  // handing over to another thread is.
  public enum Kind: Sendable {
    case dealer
    case request
    case subscriber
  }

  private let context: UnsafeMutableRawPointer
  private let handle: UnsafeMutableRawPointer

  /// - Parameters:
  ///   - kind: What it is.
  ///   - endpoint: Where to.
  ///   - keys: For CURVE.
  ///   - routingID: The id that it claims; empty: none.
  ///   - subscribes: A subscriber receives everything.
  /// - Throws: `WaitingFailure` when there is no socket left, or the endpoint is malformed.
  public init(
    _ kind: Kind,
    connectedTo endpoint: String,
    keys: ClientKeys? = nil,
    routingID: [UInt8] = [],
    subscribes: Bool = true
  ) throws {
    let number: CInt =
      switch kind {
      case .dealer: ZMQ_DEALER
      case .request: ZMQ_REQ
      case .subscriber: ZMQ_SUB
      }
    guard let context = zmq_ctx_new(), let handle = zmq_socket(context, number) else {
      throw WaitingFailure(description: "no socket left")
    }
    self.context = context
    self.handle = handle
    set(ZMQ_LINGER, 0)
    set(ZMQ_RCVTIMEO, 600_000)
    set(ZMQ_SNDTIMEO, 600_000)
    if let keys {
      set(ZMQ_CURVE_SERVERKEY, keys.server.bytes)
      set(ZMQ_CURVE_PUBLICKEY, keys.pair.publicKey.bytes)
      set(ZMQ_CURVE_SECRETKEY, keys.pair.secretKey)
    }
    if !routingID.isEmpty { set(ZMQ_ROUTING_ID, routingID) }
    if kind == .subscriber, subscribes { zmq_setsockopt(handle, ZMQ_SUBSCRIBE, "", 0) }
    guard zmq_connect(handle, endpoint) == 0 else {
      throw WaitingFailure(description: "cannot connect to \(endpoint)")
    }
  }

  deinit {
    zmq_close(handle)
    zmq_ctx_term(context)
  }

  /// Sends the frames of one message.
  public func send(_ frames: [[UInt8]]) async throws {
    try await blocking { [self] in
      for (index, frame) in frames.enumerated() {
        let flags = index + 1 < frames.count ? ZMQ_SNDMORE : 0
        guard zmq_send(handle, frame, frame.count, flags) >= 0 else {
          throw WaitingFailure(description: String(cString: zmq_strerror(zmq_errno())))
        }
      }
    }
  }

  /// Waits for a message.
  public func receive() async throws -> [[UInt8]] {
    try await blocking { [self] in
      var frames: [[UInt8]] = []
      var frame = zmq_msg_t()
      zmq_msg_init(&frame)
      defer { zmq_msg_close(&frame) }
      repeat {
        guard zmq_msg_recv(&frame, handle, 0) >= 0 else {
          throw WaitingFailure(
            description: "no message: \(String(cString: zmq_strerror(zmq_errno())))"
          )
        }
        frames.append(
          [UInt8](UnsafeRawBufferPointer(start: zmq_msg_data(&frame), count: zmq_msg_size(&frame)))
        )
      } while zmq_msg_more(&frame) != 0
      return frames
    }
  }

  /// Subscribes to a topic.
  public func subscribe(_ topic: [UInt8]) { set(ZMQ_SUBSCRIBE, topic) }

  private func set(_ option: CInt, _ value: [UInt8]) {
    zmq_setsockopt(handle, option, value, value.count)
  }

  private func set(_ option: CInt, _ value: CInt) {
    var value = value
    zmq_setsockopt(handle, option, &value, MemoryLayout<CInt>.size)
  }
}
