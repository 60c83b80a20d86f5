import BenchCore

/// Measures how long a published message takes.
final class PushProbe {
  /// The topic of the baseline's messages, as long as a channel's.
  static let bareTopic = [UInt8](repeating: 0x2a, count: 16)

  private let caller: RawCaller
  private let clock: ProcessClock
  private let subscriber: PushSubscriber
  /// The body of the message received last.
  var bodyBytes: Int { subscriber.body.count }

  /// Subscribes, and returns when messages arrive; the call makes the server publish one.
  init(
    _ context: RawContext,
    _ server: ServerAddress,
    topic: [UInt8],
    _ content: PushSubscriber.Content,
    _ calls: CallSequence
  ) throws {
    caller = try RawCaller(context, server, calls)
    clock = server.clock
    subscriber = try PushSubscriber(context, server, topic: topic, content)
    try subscriber.waitForFirst(caller)
  }

  /// From the call's start until its notification is there, opened and decoded, for a server that
  /// answers calls too.
  func callsToMessages(count: Int) throws -> Measurement {
    try measure(count) { started, sent in
      var record: Int?
      while record == nil, try subscriber.receive(waits: true) { record = try subscriber.record() }
      let now = Clock.now()
      guard record == sent.record else { throw BenchError("a push of another save") }
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
      _ = try subscriber.receive(waits: true)
      return Clock.now() - subscriber.body.loadUnaligned(as: UInt64.self)
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
}
