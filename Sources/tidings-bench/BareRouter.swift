import CZeroMQ
import Glibc
import TidingsKeys

/// The least that any server of ours has to do: a ROUTER that takes what has arrived in turns.
///
/// It runs in a process of its own, until its standard input ends.
final class BareRouter {
  /// Most messages of a turn, as in rpcd.
  static let messagesPerTurnMax = 256
  /// A routing id, a header and a body.
  static let framesPerMessage = 3

  let context: RawContext
  let endpoint: String
  let frames = FrameSlots(count: messagesPerTurnMax * framesPerMessage)
  private let socket: RawSocket

  /// With a key pair it speaks CURVE.
  init(_ pair: KeyPair? = nil) throws {
    context = try RawContext()
    socket = try RawSocket(context, kind: ZMQ_ROUTER)
    if let pair { try socket.serve(pair) }
    endpoint = try socket.bindToLoopback()
  }

  /// Announces the endpoints.
  func announce(push: String? = nil) {
    print("bare ready rpc=\(endpoint)" + (push.map { " push=\($0)" } ?? ""))
    fflush(nil)
  }

  /// Handles turns until standard input ends; a turn gets the number of its messages.
  func run(_ turn: (Int) throws -> Void) throws {
    var items = [
      zmq_pollitem_t(socket: socket.handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0),
      zmq_pollitem_t(socket: nil, fd: STDIN_FILENO, events: Int16(ZMQ_POLLIN), revents: 0),
    ]
    while true {
      guard zmq_poll(&items, 2, -1) >= 0 else { throw BenchError(zmq: "polling") }
      if items[1].revents != 0 { return }
      let count = try drain()
      if count > 0 { try turn(count) }
    }
  }

  /// Sends a message of a turn back.
  func reply(_ message: Int) throws {
    for index in 0..<Self.framesPerMessage {
      let frame = frames.start + message * Self.framesPerMessage + index
      let isLast = index == Self.framesPerMessage - 1
      guard zmq_msg_send(frame, socket.handle, isLast ? 0 : ZMQ_SNDMORE) >= 0 else {
        throw BenchError(zmq: "sending")
      }
    }
  }

  private func drain() throws -> Int {
    for message in 0..<Self.messagesPerTurnMax {
      let first = frames.start + message * Self.framesPerMessage
      guard try socket.receive(into: first, waits: false) else { return message }
      for index in 1..<Self.framesPerMessage {
        _ = try socket.receive(into: first + index, waits: true)
      }
    }
    return Self.messagesPerTurnMax
  }
}
