internal import BenchStatistics
internal import Synchronization
internal import TidingsRPC

/// The results of the calls so far.
final class BenchTally: Sendable {
  /// The counts.
  struct Counts: Sendable {
    var latencies = LatencyHistogram()
    /// Failed calls, by code.
    var errors: [String: Int] = [:]
    /// Items processed: records, notifications.
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

  /// Records a successful call.
  func add(_ latency: Duration, items: Int) {
    let (seconds, attoseconds) = latency.components
    let nanoseconds = max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    state.withLock { state in
      state.window.latencies.record(UInt64(nanoseconds))
      state.window.items += items
    }
  }

  /// Records a failed call.
  func add(_ error: any Error) {
    let code =
      switch error {
      case let error as RPCError: "\(error.code)"
      case let error as BenchFailure: error.code
      default: "LOCAL_FAILURE"
      }
    state.withLock { $0.window.errors[code, default: 0] += 1 }
  }

  /// The counts of all calls so far.
  var counts: Counts {
    state.withLock { state in
      var counts = state.done
      counts.merge(state.window)
      return counts
    }
  }

  /// Returns the counts since the last call of this method.
  func takeWindow() -> Counts {
    state.withLock { state in
      let window = state.window
      state.done.merge(window)
      state.window = Counts()
      return window
    }
  }
}

/// A call that was answered, but not as expected.
struct BenchFailure: Error, CustomStringConvertible {
  /// A push that did not arrive.
  static let notNotified = BenchFailure(code: "NOT_NOTIFIED")

  let code: String

  var description: String {
    code == Self.notNotified.code
      ? "no notification of a saved record arrived in time: run `rpcctl doctor`"
      : "the server rejected a record with \(code)"
  }
}
