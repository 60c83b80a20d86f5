internal import BenchStatistics
internal import Synchronization

/// Makes a number of concurrent calls, as fast as they are answered or on a schedule.
struct BenchLoop: Sendable {
  /// A call; the closure gets its number, and returns how many items it processed.
  typealias Call = @Sendable (_ number: Int) async throws -> Int

  let inFlight: Int
  let callsMax: Int
  let duration: Duration?
  let schedule: CallSchedule?
  let call: Call

  /// Makes calls until the limit is reached or the task is cancelled.
  ///
  /// - Parameters:
  ///   - first: The number of the first call.
  ///   - tally: Records each result.
  /// - Returns: The elapsed time, and the number after the last call.
  func run(from first: Int, into tally: BenchTally) async -> (elapsed: Duration, next: Int) {
    let numbers = CallNumbers()
    let begin = ContinuousClock.now
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<min(inFlight, callsMax) {
        group.addTask { [self] in await work(numbers, from: first, begin, tally) }
      }
    }
    return (.now - begin, first + numbers.count)
  }

  private func work(
    _ numbers: CallNumbers,
    from first: Int,
    _ begin: ContinuousClock.Instant,
    _ tally: BenchTally
  ) async {
    while !Task.isCancelled {
      let number = numbers.take()
      guard number < callsMax, let start = await start(of: number, begin) else { return }
      await measure(first + number, from: start, tally)
    }
  }

  /// Returns when a call starts, or should have started; `nil`: no more calls.
  private func start(
    of number: Int,
    _ begin: ContinuousClock.Instant
  ) async -> ContinuousClock.Instant? {
    guard let schedule else {
      let now = ContinuousClock.now
      if let duration, now - begin >= duration { return nil }
      return now
    }
    guard let offset = schedule.start(ofCall: number) else { return nil }
    if let duration, offset >= duration { return nil }
    let due = begin + offset
    if due > .now { try? await Task.sleep(until: due, tolerance: .zero) }
    return Task.isCancelled ? nil : due
  }

  private func measure(
    _ number: Int,
    from start: ContinuousClock.Instant,
    _ tally: BenchTally
  ) async {
    do {
      let items = try await call(number)
      tally.add(.now - start, items: items)
    } catch {
      // A call that was interrupted says nothing about the server.
      if !Task.isCancelled { tally.add(error) }
    }
  }
}

/// Returns each number once.
private final class CallNumbers: Sendable {
  private let next = Atomic<Int>(0)
  var count: Int { next.load(ordering: .relaxed) }
  func take() -> Int { next.add(1, ordering: .relaxed).oldValue }
}
