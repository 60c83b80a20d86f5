internal import Synchronization

/// The history of one workload while it runs.
final class Recorder: Sendable {
  private struct State {
    var calls: [Call] = []
    var processCount = 0
    var valueCount: Int64 = 0
  }

  private let state = Mutex(State())
  private let start: ContinuousClock.Instant

  init(since start: ContinuousClock.Instant) { self.start = start }

  /// Nanoseconds since the start of the run.
  var now: Int64 {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  var calls: [Call] { state.withLock(\.calls) }
  var count: Int { state.withLock(\.calls.count) }

  func add(_ call: Call) { state.withLock { $0.calls.append(call) } }

  /// The number of a process that has made no call yet.
  func newProcess() -> Int {
    state.withLock {
      $0.processCount += 1
      return $0.processCount
    }
  }

  /// A value that no save of the workload has written.
  func newValue() -> Int64 {
    state.withLock {
      $0.valueCount += 1
      return $0.valueCount
    }
  }
}
