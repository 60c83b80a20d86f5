import BenchCore

/// Measures how long after a save a web client has its event.
struct EventProbe {
  private let caller: RawCaller
  private let clock: ProcessClock
  private let stream: EventStream

  /// A socket for the saves, and a stream of the same user.
  init(_ caller: RawCaller, _ clock: ProcessClock, _ stream: EventStream) {
    (self.caller, self.clock, self.stream) = (caller, clock, stream)
  }

  /// From the save's start until the event that names its record was read.
  func callsToEvents(count: Int) throws -> Measurement {
    var latencies: [UInt64] = []
    latencies.reserveCapacity(count)
    let watch = Stopwatch(clock)
    for _ in 0..<count {
      try Interruption.check()
      let started = Clock.now()
      let sent = try caller.send()
      try stream.read(until: "house-" + Calls.digits(sent.record))
      latencies.append(Clock.now() - started)
      guard try caller.receive(waits: true) == sent.call else {
        throw BenchError("a reply to another call")
      }
    }
    return watch.measurement(latencies)
  }
}
