import BenchCore
import TidingsClient
import TidingsProto

/// Measures how long after a save a program that iterates over the Swift client's stream has the
/// notification.
struct StreamProbe {
  private let caller: RawCaller
  private let clock: ProcessClock
  private var notifications: NotificationStream.AsyncIterator

  /// A stream, and a socket for the saves.
  init(
    _ context: RawContext,
    _ server: ServerAddress,
    _ stream: NotificationStream,
    _ calls: CallSequence
  ) throws {
    caller = try RawCaller(context, server, calls)
    clock = server.clock
    notifications = stream.makeAsyncIterator()
  }

  /// From the save's start until the stream has yielded its notification.
  mutating func callsToNotifications(count: Int) async throws -> Measurement {
    var latencies: [UInt64] = []
    latencies.reserveCapacity(count)
    let watch = Stopwatch(clock)
    for _ in 0..<count {
      try Interruption.check()
      let started = Clock.now()
      let recordName = "house-" + Calls.digits(try caller.send().record)
      // Those that other measurements caused come too.
      while let notification = try await notifications.next(isolation: nil),
        notification.recordID?.recordName != recordName
      {}
      latencies.append(Clock.now() - started)
      _ = try caller.receive(waits: true)
    }
    return watch.measurement(latencies)
  }
}
