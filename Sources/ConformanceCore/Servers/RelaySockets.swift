internal import CZeroMQ
internal import Glibc
internal import Synchronization

/// The two sockets of a relay: clients connect to one, the other connects to the server.
///
/// Made on one thread and then used by another alone; starting that one is the fence between.
final class RelaySockets: @unchecked Sendable {
  /// Where clients connect.
  let endpoint: String
  private let context: UnsafeMutableRawPointer
  private var front: UnsafeMutableRawPointer
  private let frontType: CInt
  private let back: UnsafeMutableRawPointer

  enum Side {
    case client
    case server
  }

  /// How many messages a client has not read yet when its connection is lost.
  static let floodCount = 3_000

  private static let endpointsTaken = Atomic<Int>(0)

  init(front frontType: CInt, back backType: CInt) throws(ConformanceError) {
    guard let context = zmq_ctx_new(), let front = zmq_socket(context, frontType),
      let back = zmq_socket(context, backType)
    else { throw ConformanceError("there are no sockets left for a relay") }
    (self.context, self.front, self.frontType, self.back) = (context, front, frontType, back)
    for socket in [front, back] { Self.unbound(socket) }
    Self.set(back, ZMQ_RECONNECT_IVL, 20)
    while true {
      let endpoint = Self.nextEndpoint()
      if zmq_bind(front, endpoint) == 0 {
        self.endpoint = endpoint
        return
      }
      guard zmq_errno() == EADDRINUSE else {
        throw ConformanceError(
          "no relay at \(endpoint): \(String(cString: zmq_strerror(zmq_errno())))"
        )
      }
    }
  }

  deinit {
    zmq_close(front)
    zmq_close(back)
    zmq_ctx_term(context)
  }

  /// A port below those that the system gives to whoever asks for any, so that it can be taken again.
  static func nextEndpoint() -> String {
    let number = endpointsTaken.add(1, ordering: .relaxed).newValue
    return "tcp://127.0.0.1:\(20_000 + (Int(getpid()) * 64 + number) % 12_000)"
  }

  func connect(to endpoint: String) { zmq_connect(back, endpoint) }

  /// Takes the connections from all clients; they may connect again at once.
  ///
  /// With a new socket: to one whose endpoint was unbound and bound again, some connections stay mute.
  func disconnectClients() {
    guard let next = zmq_socket(context, frontType) else { return }
    Self.unbound(next)
    zmq_close(front)
    front = next
    // Its address is free again a little later.
    for _ in 0..<5_000 {
      if zmq_bind(front, endpoint) == 0 { return }
      zmq_poll(nil, 0, 2)
    }
  }

  /// Waits until there is something to receive, or the event is signalled.
  func wait(for wakeUpEvent: CInt) {
    var items = [
      zmq_pollitem_t(socket: front, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0),
      zmq_pollitem_t(socket: back, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0),
      zmq_pollitem_t(socket: nil, fd: wakeUpEvent, events: Int16(ZMQ_POLLIN), revents: 0),
    ]
    zmq_poll(&items, CInt(items.count), -1)
  }

  /// The next message of a side; `nil`: none waits.
  func receive(from side: Side) -> [[UInt8]]? {
    var frames: [[UInt8]] = []
    var frame = zmq_msg_t()
    zmq_msg_init(&frame)
    defer { zmq_msg_close(&frame) }
    repeat {
      guard zmq_msg_recv(&frame, socket(side), ZMQ_DONTWAIT) >= 0 else { return nil }
      frames.append(
        [UInt8](UnsafeRawBufferPointer(start: zmq_msg_data(&frame), count: zmq_msg_size(&frame)))
      )
    } while zmq_msg_more(&frame) != 0
    return frames
  }

  func send(_ frames: [[UInt8]], to side: Side) {
    for (index, frame) in frames.enumerated() {
      let flags = index + 1 < frames.count ? ZMQ_SNDMORE | ZMQ_DONTWAIT : ZMQ_DONTWAIT
      zmq_send(socket(side), frame, frame.count, flags)
    }
  }

  private func socket(_ side: Side) -> UnsafeMutableRawPointer { side == .client ? front : back }

  /// Nothing is dropped, and nothing outlives it.
  private static func unbound(_ socket: UnsafeMutableRawPointer) {
    for option in [ZMQ_LINGER, ZMQ_SNDHWM, ZMQ_RCVHWM] { set(socket, option, 0) }
  }

  private static func set(_ socket: UnsafeMutableRawPointer, _ option: CInt, _ value: CInt) {
    var value = value
    zmq_setsockopt(socket, option, &value, MemoryLayout<CInt>.size)
  }
}
