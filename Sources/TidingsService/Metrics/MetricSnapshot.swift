internal import Synchronization
internal import TidingsMetrics
internal import TidingsZeroMQ

/// What has a part in the turns of a loop, and counts.
protocol MetricSource: AnyObject {
  /// A copy of what the loop's thread counts; called on that thread.
  func metricFamilies(on loop: LoopContext) -> [MetricFamily]
  /// Metrics that take longer; `nil`: there are none.
  var sizesWatch: StoreSizesWatch? { get }
}

/// Asks a loop's thread for a copy of its metrics: other threads never see what it works with.
struct MetricSnapshot: Sendable {
  let families: [MetricFamily]
  let sizesWatch: StoreSizesWatch?

  /// How long a loop may take to answer before it counts as hanging.
  static let patience = Duration.seconds(5)

  /// Asks the loop.
  ///
  /// - Returns: `nil` when it has ended, or does not answer in time.
  static func take(from role: any ServerRole) async -> MetricSnapshot? {
    await OneAnswer.wait(within: patience) { answer in
      role.server.submit { loop in
        let source = loop.delegate as? any MetricSource
        answer.give(
          MetricSnapshot(
            families: source?.metricFamilies(on: loop) ?? [],
            sizesWatch: source?.sizesWatch
          )
        )
      }
    }
  }
}

/// A value that another thread gives, or nobody in time.
final class OneAnswer<Value: Sendable>: Sendable {
  private let waiting: Mutex<CheckedContinuation<Value?, Never>?>

  private init(_ waiting: CheckedContinuation<Value?, Never>) { self.waiting = Mutex(waiting) }

  /// Gives the value; only the first one counts.
  func give(_ value: Value?) { waiting.withLock { $0.take() }?.resume(returning: value) }

  /// Waits for a value.
  ///
  /// - Parameters:
  ///   - patience: How long.
  ///   - ask: Lets somebody give it; `false`: nobody will.
  /// - Returns: The value; `nil`: nobody gave it in time.
  static func wait(
    within patience: Duration,
    _ ask: (OneAnswer) -> Bool
  ) async -> Value? {
    await withCheckedContinuation { continuation in
      let answer = OneAnswer(continuation)
      guard ask(answer) else { return answer.give(nil) }
      Task {
        try? await Task.sleep(for: patience)
        answer.give(nil)
      }
    }
  }
}
