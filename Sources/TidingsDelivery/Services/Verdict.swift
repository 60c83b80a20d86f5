/// What an attempt came to.
package enum Verdict: Sendable, Equatable {
  /// The service has it.
  case sent
  /// At once, since what was wrong is right now; a second time as `retry`.
  case again(String)
  /// Later, after the pause that the service asks for, if that is longer than the schedule's.
  case retry(String, after: Duration?)
  /// It will never be sent.
  case givenUp(String)
  /// The address is gone.
  case targetGone(String)
}

/// Pauses between attempts.
package struct RetrySchedule: Sendable {
  /// Those of Standard Webhooks, about: 39 hours in all.
  package static let standard = RetrySchedule(
    [5, 30, 120, 600, 1_800, 3_600, 7_200, 18_000, 36_000, 36_000, 36_000].map { .seconds($0) }
  )
  /// The longest pause that a service can ask for.
  private static let askedMax = Duration.seconds(86_400)

  private let pauses: [Duration]

  package init(_ pauses: [Duration]) { self.pauses = pauses }

  /// Until the next attempt; `nil`: there is none.
  ///
  /// - Parameters:
  ///   - attempts: How many failed, this one included: from 1.
  ///   - asked: What the service asks for.
  ///   - jitter: 0 to 1: so that what failed together does not come again together.
  /// - Returns: The pause.
  package func pause(after attempts: Int, asked: Duration?, jitter: Double) -> Duration? {
    guard attempts >= 1, attempts <= pauses.count else { return nil }
    let pause = pauses[attempts - 1] * (0.9 + 0.2 * jitter)
    guard let asked else { return pause }
    return max(pause, min(asked, Self.askedMax))
  }
}
