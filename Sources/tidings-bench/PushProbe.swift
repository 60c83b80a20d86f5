import BenchCore
import CZeroMQ
import TidingsProto
import TidingsProtobuf
import TidingsSeal

/// Measures how long a published message takes.
final class PushProbe {
  /// The topic of the baseline's messages, as long as a channel's.
  static let bareTopic = [UInt8](repeating: 0x2a, count: 16)

  private let caller: RawCaller
  private let clock: ProcessClock
  private let subscriber: RawSocket
  private let frames = FrameSlots(count: 2)
  private var newest: UInt64 = 0
  private let key: SealingKey?
  /// The body of the message received last.
  private(set) var bodyBytes = 0

  /// Subscribes, and returns when messages arrive; the call makes the server publish one.
  init(
    _ context: RawContext,
    _ server: ServerAddress,
    topic: [UInt8],
    key: [UInt8] = [],
    _ calls: CallSequence
  ) throws {
    caller = try RawCaller(context, server, calls)
    clock = server.clock
    subscriber = try RawSocket(context, kind: ZMQ_SUB)
    self.key = SealingKey(key)
    try subscriber.subscribe(topic)
    try subscriber.connect(server.pushEndpoint)
    try waitForFirst()
  }

  /// From the call's start until its notification is there, opened and decoded, for a server that
  /// answers calls too.
  func callsToMessages(count: Int) throws -> Measurement {
    try measure(count) { started, sent in
      // Beacons repeat older numbers.
      repeat {
        try receive(from: subscriber)
      } while FanoutProbe.sequenceNumber(of: frames[1]) <= newest
      newest = FanoutProbe.sequenceNumber(of: frames[1])
      let notification = try openedNotification()
      let now = Clock.now()
      guard notification.recordID?.recordName == "house-" + Calls.digits(sent.record) else {
        throw BenchError("a push of another save")
      }
      // The reply to the call was sent before.
      guard try caller.receive(waits: true) == sent.call else {
        throw BenchError("a reply to another call")
      }
      return now - started
    }
  }

  /// From publishing until receiving, for a server that writes the time into the message.
  func publishedToReceived(count: Int) throws -> Measurement {
    try measure(count) { _, _ in
      try receive(from: subscriber)
      return Clock.now() - frames[1].loadUnaligned(as: UInt64.self)
    }
  }

  private func openedNotification() throws -> TidingsV1.Notification {
    switch try TidingsV1.Push(decoding: Array(frames[1])).content {
    case .notification(let notification): return notification
    case .sealedNotification(let sealed):
      guard let bytes = key?.open(sealed) else { throw BenchError("a push cannot be opened") }
      return try TidingsV1.Notification(decoding: bytes)
    default: throw BenchError("a push without a notification")
    }
  }

  private func measure(
    _ count: Int,
    _ latency: (_ started: UInt64, CallSequence.Sent) throws -> UInt64
  ) throws -> Measurement {
    var latencies: [UInt64] = []
    latencies.reserveCapacity(count)
    let watch = Stopwatch(clock)
    for _ in 0..<count {
      try Interruption.check()
      let started = Clock.now()
      let sent = try caller.send()
      latencies.append(try latency(started, sent))
    }
    return watch.measurement(latencies)
  }

  /// A subscription takes effect when the publisher receives it; until then messages are lost.
  private func waitForFirst() throws {
    let triesMax = 200
    try subscriber.set(ZMQ_RCVTIMEO, 50)
    for _ in 0..<triesMax {
      try Interruption.check()
      _ = try caller.send()
      guard zmq_msg_recv(frames.start, subscriber.handle, 0) >= 0 else { continue }
      _ = try subscriber.receive(into: frames.start + 1, waits: true)
      try subscriber.set(ZMQ_RCVTIMEO, RawSocket.timeoutMilliseconds)
      return try settle()
    }
    throw BenchError("no message was published in \(triesMax) tries")
  }

  /// Takes what the first tries left behind.
  private func settle() throws {
    for socket in [subscriber, caller.socket] {
      var items = [
        zmq_pollitem_t(socket: socket.handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
      ]
      while zmq_poll(&items, 1, 200) > 0 { try receive(from: socket) }
    }
  }

  private func receive(from socket: RawSocket) throws {
    _ = try socket.receive(into: frames.start, waits: true)
    guard frames.hasMore(0) else { throw BenchError("a message of one frame") }
    _ = try socket.receive(into: frames.start + 1, waits: true)
    if socket === subscriber { bodyBytes = frames[1].count }
  }
}
