import CZeroMQ
import Glibc
import TidingsKeys

/// The least that any server of ours has to do: a ROUTER that takes what has arrived in turns.
///
/// It runs in a process of its own, until its standard input ends.
final class BareRouter {
  /// A routing id, a header and a body.
  private static let framesPerMessage = 3

  let context: RawContext
  private let endpoint: String
  private let messagesPerTurnMax: Int
  private let frames: FrameSlots
  private let socket: RawSocket

  /// With a key pair it speaks CURVE; otherwise a turn is as long as in rpcd.
  init(_ pair: KeyPair? = nil, messagesPerTurnMax: Int = 256) throws {
    self.messagesPerTurnMax = messagesPerTurnMax
    frames = FrameSlots(count: messagesPerTurnMax * Self.framesPerMessage)
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

  /// The body of a message of a turn.
  func body(of message: Int) -> UnsafeRawBufferPointer { frames[Self.bodyIndex(message)] }

  /// Replaces the body of a message of a turn.
  func setBody(of message: Int, to bytes: UnsafeRawBufferPointer) {
    frames.set(Self.bodyIndex(message), bytes)
  }

  private static func bodyIndex(_ message: Int) -> Int { message * framesPerMessage + 2 }

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
    for message in 0..<messagesPerTurnMax {
      let first = frames.start + message * Self.framesPerMessage
      guard try socket.receive(into: first, waits: false) else { return message }
      for index in 1..<Self.framesPerMessage {
        _ = try socket.receive(into: first + index, waits: true)
      }
    }
    return messagesPerTurnMax
  }
}
