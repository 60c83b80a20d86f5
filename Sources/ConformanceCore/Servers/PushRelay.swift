internal import CZeroMQ
internal import Synchronization
internal import TidingsThreads

/// Stands between the client under test and a server's push endpoint, and loses, doubles and holds back
/// what is published.
final class PushRelay: Sendable {
  /// What becomes of pushes until another is used.
  enum Fault: Sendable {
    case none
    case loses
    case doubles
    /// They wait, and come in the opposite order once another is used.
    case holdsBack
    /// The next one comes many times, and while subscribers read it their connections are lost.
    case floods
  }

  private enum Order: Sendable {
    case connect(String)
    case use(Fault)
    case disconnectSubscribers
    case end
  }

  /// What was seen.
  struct Counts: Sendable {
    var subscriptions = 0
    var published = 0
    var lost = 0
    var floods = 0
  }

  /// Where subscribers connect.
  let endpoint: String
  private let orders = Mailbox<Order>()
  private let state = Mutex(Counts())

  init() throws(ConformanceError) {
    let sockets = try RelaySockets(front: ZMQ_XPUB, back: ZMQ_XSUB)
    endpoint = sockets.endpoint
    startThread { [orders, weak self] in
      var fault = Fault.none
      var held: [[[UInt8]]] = []
      while true {
        sockets.wait(for: orders.descriptor)
        for order in orders.drain() {
          switch order {
          case .connect(let server): sockets.connect(to: server)
          case .use(let next):
            fault = next
            for frames in held.reversed() { sockets.send(frames, to: .client) }
            held = []
          case .disconnectSubscribers: sockets.disconnectClients()
          case .end: return
          }
        }
        // Subscriptions and their ends go to the server as they are.
        while let frames = sockets.receive(from: .client) {
          if frames.first?.first == 1 { self?.state.withLock { $0.subscriptions += 1 } }
          sockets.send(frames, to: .server)
        }
        while let frames = sockets.receive(from: .server) {
          self?.state.withLock { state in
            state.published += 1
            if case .loses = fault { state.lost += 1 }
          }
          switch fault {
          case .none: sockets.send(frames, to: .client)
          case .loses: break
          case .doubles: for _ in 0..<2 { sockets.send(frames, to: .client) }
          case .holdsBack: held.append(frames)
          case .floods:
            for _ in 0..<RelaySockets.floodCount { sockets.send(frames, to: .client) }
            sockets.disconnectClients()
            fault = .none
            self?.state.withLock { $0.floods += 1 }
          }
        }
      }
    }
  }

  deinit { orders.send(.end) }

  /// What was seen so far.
  var counts: Counts { state.withLock { $0 } }

  /// Listens to a server, whenever it is there.
  func connect(to pushEndpoint: String) { orders.send(.connect(pushEndpoint)) }

  /// Treats what comes from now on so; what was held back comes now.
  func use(_ fault: Fault) { orders.send(.use(fault)) }

  /// Takes the connections from all subscribers; they may connect again at once.
  func disconnectSubscribers() { orders.send(.disconnectSubscribers) }
}
