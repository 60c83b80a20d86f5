internal import BenchStatistics
internal import Synchronization
internal import TidingsRPC

/// What became of the calls so far.
final class BenchTally: Sendable {
  /// All that is counted.
  struct Counts: Sendable {
    var latencies = LatencyHistogram()
    /// Failed calls, by code.
    var errors: [String: Int] = [:]
    /// What the calls were about: records, notifications.
    var items = 0

    var failed: Int { errors.values.reduce(0, +) }

    mutating func merge(_ other: Self) {
      latencies.merge(other.latencies)
      errors.merge(other.errors, uniquingKeysWith: +)
      items += other.items
    }
  }

  private struct State {
    var done = Counts()
    var window = Counts()
  }

  private let state = Mutex(State())

  /// A call was answered.
  func add(_ latency: Duration, items: Int) {
    let (seconds, attoseconds) = latency.components
    let nanoseconds = max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    state.withLock { state in
      state.window.latencies.record(UInt64(nanoseconds))
      state.window.items += items
    }
  }

  /// A call failed.
  func add(_ error: any Error) {
    let code =
      switch error {
      case let error as RPCError: "\(error.code)"
      case let error as BenchFailure: error.code
      default: "LOCAL_FAILURE"
      }
    state.withLock { $0.window.errors[code, default: 0] += 1 }
  }

  /// All calls so far.
  var counts: Counts {
    state.withLock { state in
      var counts = state.done
      counts.merge(state.window)
      return counts
    }
  }

  /// Returns the calls since the last time.
  func takeWindow() -> Counts {
    state.withLock { state in
      let window = state.window
      state.done.merge(window)
      state.window = Counts()
      return window
    }
  }
}

/// A call that was answered, and not as it should have been.
struct BenchFailure: Error, CustomStringConvertible {
  /// A push that did not come.
  static let notNotified = BenchFailure(code: "NOT_NOTIFIED")

  let code: String

  var description: String {
    code == Self.notNotified.code
      ? "a record was saved, and no notification of it came in time; `rpcctl doctor` looks for the reason"
      : "the server refused a record with \(code)"
  }
}
