import BenchCore

/// Awaits calls as fast as they are answered, so many in flight, each in turn in one of as many tasks: a closed loop.
struct TaskLoop {
  /// A call; its number says which.
  typealias Call = @Sendable (Int) async throws -> Void

  /// What was measured; Foundation has a `Measurement` too.
  typealias Outcome = Measurement

  let clock: ProcessClock

  /// Makes calls with the numbers from `first`.
  func run(
    first: Int,
    calls: Int,
    inFlight: Int,
    _ call: @escaping Call
  ) async throws -> Measurement {
    let watch = Stopwatch(clock)
    let latencies = try await withThrowingTaskGroup(of: [UInt64].self) { group in
      for worker in 0..<inFlight {
        group.addTask {
          var latencies: [UInt64] = []
          for number in stride(from: worker, to: calls, by: inFlight) {
            let started = Clock.now()
            try await call(first + number)
            latencies.append(Clock.now() - started)
          }
          return latencies
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    return watch.measurement(latencies)
  }
}
