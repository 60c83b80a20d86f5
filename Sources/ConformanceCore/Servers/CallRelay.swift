internal import CZeroMQ
internal import Synchronization
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsThreads

/// Stands between the client under test and a server's endpoint for calls: notes what the client sends,
/// and does what networks and servers do to clients.
final class CallRelay: Sendable {
  /// What happens to the next call, once, or to all that come.
  enum Fault: Sendable {
    /// The server's answer is lost, and with it the connection.
    case losesAnswer
    /// Messages that answer nothing come before the answer.
    case addsStrayAnswers
    /// Many messages that answer nothing come instead of the answer, and while they are read the connection is lost.
    case floods
    /// The answer comes twice.
    case doublesAnswer
    /// Nothing reaches the server until `behave`.
    case swallows
  }

  private enum Order: Sendable {
    case use(Fault?)
    case end
  }

  /// Where the client connects.
  let endpoint: String
  private let orders = Mailbox<Order>()
  private let seen = Mutex<[TidingsRpcV1.RequestHeader]>([])

  init(to server: String) throws(ConformanceError) {
    let sockets = try RelaySockets(front: ZMQ_ROUTER, back: ZMQ_DEALER)
    endpoint = sockets.endpoint
    sockets.connect(to: server)
    startThread { [orders, weak self] in
      var fault: Fault?
      while true {
        sockets.wait(for: orders.descriptor)
        for order in orders.drain() {
          guard case .use(let next) = order else { return }
          fault = next
        }
        while let frames = sockets.receive(from: .client) {
          self?.note(frames)
          if fault != .swallows { sockets.send(frames, to: .server) }
        }
        while let frames = sockets.receive(from: .server) {
          Self.answer(frames, fault, sockets)
          if fault != .swallows { fault = nil }
        }
      }
    }
  }

  deinit { orders.send(.end) }

  /// Treats the next call so.
  func use(_ fault: Fault) { orders.send(.use(fault)) }

  /// Passes everything on.
  func behave() { orders.send(.use(nil)) }

  /// What the client sent since this was asked before.
  func takeSeen() -> [TidingsRpcV1.RequestHeader] {
    seen.withLock { seen in
      defer { seen = [] }
      return seen
    }
  }

  private func note(_ frames: [[UInt8]]) {
    guard frames.count >= 2,
      let header = try? TidingsRpcV1.RequestHeader(decoding: frames[frames.count - 2])
    else { return }
    seen.withLock { $0.append(header) }
  }

  /// The header of an answer to a call that no client made.
  private static let stranger = TidingsRpcV1.ResponseHeader(
    callID: 1 << 60,
    endOfStream: true,
    hasMessage: true
  )

  private static func answer(_ frames: [[UInt8]], _ fault: Fault?, _ sockets: RelaySockets) {
    switch fault {
    case nil, .swallows: break
    case .losesAnswer:
      sockets.disconnectClients()
      return
    case .doublesAnswer: sockets.send(frames, to: .client)
    case .floods:
      for _ in 0..<RelaySockets.floodCount {
        sockets.send([frames[0], stranger.encoded(), [1, 2, 3]], to: .client)
      }
      sockets.disconnectClients()
      return
    case .addsStrayAnswers:
      let client = frames[0]
      sockets.send([client, stranger.encoded(), [1, 2, 3]], to: .client)
      sockets.send([client, [0xff, 0xff, 0xff], []], to: .client)
      sockets.send([client, [0x0a]], to: .client)
      sockets.send([client, stranger.encoded(), [], [], []], to: .client)
    }
    sockets.send(frames, to: .client)
  }
}
