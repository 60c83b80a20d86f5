import BenchCore
import CZeroMQ
import TidingsClient
import TidingsProto

/// Measures how long after a save a program that iterates over the Swift client's stream has the
/// notification.
struct StreamProbe {
  private let caller: RawSocket
  private var notifications: NotificationStream.AsyncIterator
  private let frames = FrameSlots(count: 2)
  private var template: CallTemplate
  private var numbers: NumberSequence
  private var callCount: UInt64 = 0

  /// A stream, and a socket for the saves.
  init(
    _ context: RawContext,
    endpoint: String,
    _ stream: NotificationStream,
    _ template: CallTemplate,
    numbers: NumberSequence
  ) throws {
    caller = try RawSocket(context, kind: ZMQ_DEALER)
    try caller.connect(endpoint)
    notifications = stream.makeAsyncIterator()
    self.template = template
    self.numbers = numbers
  }

  /// From the save's start until the stream has yielded its notification.
  mutating func callsToNotifications(count: Int) async throws -> Measurement {
    var latencies: [UInt64] = []
    latencies.reserveCapacity(count)
    let begin = Clock.now()
    for _ in 0..<count {
      try Interruption.check()
      let started = Clock.now()
      let (name, serial) = numbers.take()
      template.set(call: callCount, name: name, serial: serial)
      callCount += 1
      try caller.send(template.header, more: true)
      try caller.send(template.body)
      let recordName = "house-" + Calls.digits(name)
      // Those that other measurements caused come too.
      while let notification = try await notifications.next(isolation: nil),
        notification.recordID?.recordName != recordName
      {}
      latencies.append(Clock.now() - started)
      _ = try caller.receive(into: frames.start, waits: true)
      _ = try caller.receive(into: frames.start + 1, waits: true)
      guard ReplyCheck.oneRecord.accepts(frames[1]) else {
        throw BenchError(RawClient.failure(header: frames[0], body: frames[1]))
      }
    }
    return Measurement(latencies: latencies, elapsedNanoseconds: Clock.now() - begin)
  }
}
