import BenchCore
import CZeroMQ

/// Many subscribers of one topic, each with a connection of its own; measures when the last of them
/// has a message.
final class FanoutProbe {
  private let caller: RawCaller
  private let clock: ProcessClock
  private let subscribers: [RawSocket]
  private let frames = FrameSlots(count: 2)
  /// The body of the message received last.
  private(set) var bodyBytes = 0

  /// Subscribes, and returns when messages reach all.
  ///
  /// The call makes the server publish one message.
  init(
    _ context: RawContext,
    _ server: ServerAddress,
    topic: [UInt8],
    subscribers count: Int,
    _ calls: CallSequence
  ) throws {
    caller = try RawCaller(context, server, calls)
    clock = server.clock
    subscribers = try (0..<count).map { _ in
      let socket = try RawSocket(context, kind: ZMQ_SUB)
      try socket.subscribe(topic)
      try socket.connect(server.pushEndpoint)
      return socket
    }
    try waitForAll()
  }

  /// From the call's start until the last subscriber has its push.
  func callsToMessages(count: Int) throws -> Measurement {
    var newest: UInt64 = 0
    return try measure(count) { started in
      for socket in subscribers {
        // Beacons repeat older numbers.
        repeat { try receive(from: socket) } while Self.sequenceNumber(of: frames[1]) <= newest
      }
      let now = Clock.now()
      newest = Self.sequenceNumber(of: frames[1])
      _ = try caller.receive(waits: true)
      return now - started
    }
  }

  /// From publishing until the last subscriber has the message, for a server that writes the time
  /// into it.
  func publishedToReceived(count: Int) throws -> Measurement {
    try measure(count) { _ in
      for socket in subscribers { try receive(from: socket) }
      return Clock.now() - frames[1].loadUnaligned(as: UInt64.self)
    }
  }

  private func measure(_ count: Int, _ latency: (UInt64) throws -> UInt64) throws -> Measurement {
    var latencies: [UInt64] = []
    latencies.reserveCapacity(count)
    let watch = Stopwatch(clock)
    for _ in 0..<count {
      try Interruption.check()
      let started = Clock.now()
      _ = try caller.send()
      latencies.append(try latency(started))
    }
    return watch.measurement(latencies)
  }

  /// `Push.sequence_number`, the first field when it is not 0.
  static func sequenceNumber(of body: UnsafeRawBufferPointer) -> UInt64 {
    guard body.first == 0x08 else { return 0 }
    var number: UInt64 = 0
    for (index, byte) in body.dropFirst().prefix(10).enumerated() {
      number |= UInt64(byte & 0x7f) << (7 * UInt64(index))
      if byte < 0x80 { break }
    }
    return number
  }

  /// A subscription takes effect when the publisher receives it; until then messages are lost.
  private func waitForAll() throws {
    for socket in subscribers {
      try socket.set(ZMQ_RCVTIMEO, 50)
      var triesLeft = 200
      while zmq_msg_recv(frames.start, socket.handle, 0) < 0 {
        try Interruption.check()
        triesLeft -= 1
        guard triesLeft > 0 else { throw BenchError("a subscriber of many got no message") }
        _ = try caller.send()
      }
      _ = try socket.receive(into: frames.start + 1, waits: true)
      try socket.set(ZMQ_RCVTIMEO, RawSocket.timeoutMilliseconds)
    }
    for socket in subscribers + [caller.socket] { try settle(socket) }
  }

  /// Takes what the first tries left behind.
  private func settle(_ socket: RawSocket) throws {
    var items = [
      zmq_pollitem_t(socket: socket.handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
    ]
    while zmq_poll(&items, 1, 20) > 0 { try receive(from: socket) }
  }

  private func receive(from socket: RawSocket) throws {
    _ = try socket.receive(into: frames.start, waits: true)
    guard frames.hasMore(0) else { throw BenchError("a message of one frame") }
    _ = try socket.receive(into: frames.start + 1, waits: true)
    if socket !== caller.socket { bodyBytes = frames[1].count }
  }
}
