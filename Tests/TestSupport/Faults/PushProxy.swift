internal import CZeroMQ
internal import Foundation
internal import RPCTestSupport
internal import RandomSupport
internal import Synchronization
internal import Testing
internal import TidingsThreads

/// Stands between a server's push endpoint and its subscribers, and loses, doubles, holds back and so
/// reorders what is published.
///
/// A server is notified of it by `--advertise-push`. What it does follows from its seed and from what is
/// published, never from the clock.
public final class PushProxy: Sendable {
  /// How often what happens to a message: each once in so many; 0: never.
  public struct Faults: Sendable {
    public var lost = 0
    public var doubled = 0
    public var heldBack = 0
    /// Most later messages that a held one waits for.
    public var heldBackMax = 20

    public static let none = Self()

    public init(lost: Int = 0, doubled: Int = 0, heldBack: Int = 0) {
      (self.lost, self.doubled, self.heldBack) = (lost, doubled, heldBack)
    }
  }

  /// What became of the messages.
  public struct Counts: Sendable {
    public fileprivate(set) var published = 0
    public fileprivate(set) var lost = 0
    public fileprivate(set) var doubled = 0
    public fileprivate(set) var heldBack = 0
  }

  fileprivate enum Order: Sendable {
    case connect(String)
    case disconnectSubscribers
    case use(Faults)
    case end
  }

  /// Where subscribers connect.
  public let endpoint: String
  private let orders = Mailbox<Order>()

  /// What became of the messages so far.
  public let counts = Observed(Counts())

  /// Begins to take subscribers; a server comes later.
  public init(_ faults: Faults, seed: UInt64) throws {
    let loop = try PushProxyLoop(orders, counts, faults, SplitMix64(seed: seed))
    endpoint = loop.endpoint
    Thread.detachNewThread { loop.run() }
  }

  deinit { orders.send(.end) }

  /// Listens to a server, without end: whenever it is there.
  public func connect(to pushEndpoint: String) { orders.send(.connect(pushEndpoint)) }

  /// Takes the connections from all subscribers; they may connect again at once.
  public func disconnectSubscribers() { orders.send(.disconnectSubscribers) }

  /// Treats what comes from now on so; nothing is held back any longer.
  public func use(_ faults: Faults) { orders.send(.use(faults)) }
}

/// The proxy's thread: owns the sockets.
private final class PushProxyLoop: @unchecked Sendable {
  // Made on one thread and then used by another alone; starting that one is the fence between.
  private struct Held {
    var frames: [[UInt8]]
    var countdown: Int
  }

  var endpoint: String { port.endpoint }
  private let port = ReservedPort()
  private let orders: Mailbox<PushProxy.Order>
  private let counts: Observed<PushProxy.Counts>
  private var faults: PushProxy.Faults
  private var random: SplitMix64
  private var held: [Held] = []

  private let context: UnsafeMutableRawPointer
  private let upstream: UnsafeMutableRawPointer
  private let downstream: UnsafeMutableRawPointer

  init(
    _ orders: Mailbox<PushProxy.Order>,
    _ counts: Observed<PushProxy.Counts>,
    _ faults: PushProxy.Faults,
    _ random: SplitMix64
  ) throws {
    guard let context = zmq_ctx_new(), let upstream = zmq_socket(context, ZMQ_XSUB),
      let downstream = zmq_socket(context, ZMQ_XPUB)
    else { throw WaitingFailure(description: "no socket left") }
    (self.orders, self.counts, self.faults, self.random) = (orders, counts, faults, random)
    (self.context, self.upstream, self.downstream) = (context, upstream, downstream)
    for socket in [upstream, downstream] {
      for option in [ZMQ_LINGER, ZMQ_SNDHWM, ZMQ_RCVHWM] { Self.set(socket, option, 0) }
    }
    Self.set(upstream, ZMQ_RECONNECT_IVL, 20)
    guard zmq_bind(downstream, port.endpoint) == 0 else {
      throw WaitingFailure(description: String(cString: zmq_strerror(zmq_errno())))
    }
  }

  deinit {
    zmq_close(upstream)
    zmq_close(downstream)
    zmq_ctx_term(context)
  }

  func run() {
    var items = [
      zmq_pollitem_t(socket: upstream, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0),
      zmq_pollitem_t(socket: downstream, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0),
      zmq_pollitem_t(socket: nil, fd: orders.descriptor, events: Int16(ZMQ_POLLIN), revents: 0),
    ]
    while true {
      zmq_poll(&items, CInt(items.count), -1)
      for order in orders.drain() where !follow(order) { return }
      // Subscriptions and their ends go to the server as they are.
      while let frames = receive(downstream) { send(frames, to: upstream) }
      while let frames = receive(upstream) { pass(on: frames) }
    }
  }

  /// - Returns: `false` for the end.
  private func follow(_ order: PushProxy.Order) -> Bool {
    switch order {
    case .connect(let pushEndpoint): zmq_connect(upstream, pushEndpoint)
    case .disconnectSubscribers:
      // The connections belong to the listener. Its address is free again a little later.
      zmq_unbind(downstream, endpoint)
      do {
        try blockUntil("\(endpoint) to be free again", pausing: .milliseconds(2)) {
          zmq_bind(downstream, endpoint) == 0
        }
      } catch {
        Issue.record(error)
      }
    case .use(let faults):
      self.faults = faults
      for message in held { send(message.frames, to: downstream) }
      held = []
    case .end: return false
    }
    return true
  }

  private func pass(on frames: [[UInt8]]) {
    let isLost = happens(faults.lost)
    let isDoubled = !isLost && happens(faults.doubled)
    let isHeld = !isLost && happens(faults.heldBack)
    counts.update { counts in
      counts.published += 1
      if isLost { counts.lost += 1 }
      if isDoubled { counts.doubled += 1 }
      if isHeld { counts.heldBack += 1 }
    }
    if isHeld {
      held.append(Held(frames: frames, countdown: 1 + random.below(faults.heldBackMax)))
    } else if !isLost {
      send(frames, to: downstream)
    }
    if isDoubled {
      held.append(Held(frames: frames, countdown: random.below(faults.heldBackMax)))
    }
    for index in held.indices { held[index].countdown -= 1 }
    for message in held where message.countdown < 0 { send(message.frames, to: downstream) }
    held.removeAll { $0.countdown < 0 }
  }

  private func happens(_ onceIn: Int) -> Bool { onceIn > 0 && random.oneIn(onceIn) }

  private func receive(_ socket: UnsafeMutableRawPointer) -> [[UInt8]]? {
    var frames: [[UInt8]] = []
    var frame = zmq_msg_t()
    zmq_msg_init(&frame)
    defer { zmq_msg_close(&frame) }
    repeat {
      guard zmq_msg_recv(&frame, socket, ZMQ_DONTWAIT) >= 0 else { return nil }
      frames.append(
        [UInt8](UnsafeRawBufferPointer(start: zmq_msg_data(&frame), count: zmq_msg_size(&frame)))
      )
    } while zmq_msg_more(&frame) != 0
    return frames
  }

  private func send(_ frames: [[UInt8]], to socket: UnsafeMutableRawPointer) {
    for (index, frame) in frames.enumerated() {
      zmq_send(socket, frame, frame.count, index + 1 < frames.count ? ZMQ_SNDMORE : 0)
    }
  }

  private static func set(_ socket: UnsafeMutableRawPointer, _ option: CInt, _ value: CInt) {
    var value = value
    zmq_setsockopt(socket, option, &value, MemoryLayout<CInt>.size)
  }
}
