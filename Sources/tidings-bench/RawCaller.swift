import BenchCore
import CZeroMQ
import TidingsKeys

/// Makes prebuilt calls, and checks the replies by their call id, their status and a look at the result.
///
/// One DEALER socket, which gives its connections calls in turns: so many connections cost the caller no
/// more than one, where polling as many sockets would limit the server.
final class RawCaller {
  let socket: RawSocket
  private var calls: CallSequence
  private let frames = FrameSlots(count: 2)

  init(
    _ context: RawContext,
    _ server: ServerAddress,
    connections: Int = 1,
    keys: ClientKeys? = nil,
    _ calls: CallSequence
  ) throws {
    socket = try RawSocket(context, kind: ZMQ_DEALER)
    if let keys { try socket.secure(keys) }
    for _ in 0..<connections { try socket.connect(server.endpoint) }
    self.calls = calls
  }

  /// Makes the next call.
  func send() throws -> CallSequence.Sent { try calls.send(on: socket) }

  /// Takes a reply.
  ///
  /// - Returns: The call that it answers; `nil` when none is there.
  func receive(waits: Bool) throws -> UInt64? {
    guard try socket.receive(into: frames.start, waits: waits) else { return nil }
    guard frames.hasMore(0) else { throw BenchError("a reply of one frame") }
    _ = try socket.receive(into: frames.start + 1, waits: true)
    guard let id = ReplyCheck.callID(of: frames[0]), calls.check.accepts(frames[1]) else {
      throw BenchError("a call failed: \(RawClient.failure(header: frames[0], body: frames[1]))")
    }
    return id - CallTemplate.firstCallID
  }
}
