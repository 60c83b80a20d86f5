import BenchCore

/// Takes the time of a measurement, and the processor time of both sides.
struct Stopwatch {
  private let server: ProcessClock?
  private let serverStart: UInt64
  private let clientStart = ProcessClock.own.now()
  /// When it was started.
  let start = Clock.now()

  /// Starts; without a server, this process does all the work.
  init(_ server: ProcessClock? = nil) {
    self.server = server
    serverStart = server?.now() ?? 0
  }

  /// Sums up what was measured since the start.
  ///
  /// - Parameters:
  ///   - latencies: Nanoseconds of each call.
  ///   - callsEach: Calls that each latency is the mean of.
  /// - Returns: The latencies, the rate, and the processor time of a call.
  func measurement(_ latencies: [UInt64], callsEach: Int = 1) -> Measurement {
    Measurement(
      latencies: latencies,
      elapsedNanoseconds: (Clock.now() - start) / UInt64(callsEach),
      processor: processor(calls: latencies.count * callsEach)
    )
  }

  /// Sums up what was measured since the start; `nil` without latencies.
  func measurement(_ latencies: LatencyHistogram) -> Measurement? {
    Measurement(
      latencies,
      elapsedNanoseconds: Clock.now() - start,
      processor: processor(calls: latencies.count)
    )
  }

  private func processor(calls: Int) -> ProcessorTime {
    func microseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1e3 / Double(calls) }
    return ProcessorTime(
      server: server.map { microseconds($0.now() - serverStart) },
      client: microseconds(ProcessClock.own.now() - clientStart)
    )
  }
}
