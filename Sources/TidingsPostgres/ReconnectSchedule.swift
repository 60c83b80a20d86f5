/// When a connection is tried again: at once after it was lost, then after pauses that grow.
struct ReconnectSchedule {
  static let firstPause = Duration.milliseconds(50)
  static let longestPause = Duration.seconds(5)

  private var pause: Duration?
  private var due: ContinuousClock.Instant?

  /// How long until the next attempt; `nil`: it is due.
  func wait(at now: ContinuousClock.Instant) -> Duration? {
    guard let due, now < due else { return nil }
    return now.duration(to: due)
  }

  /// An attempt failed.
  ///
  /// - Parameters:
  ///   - now: When.
  ///   - share: A random number from 0 to 1: a fifth of the pause differs, so that many connections do
  ///     not come back in the same moment.
  mutating func failed(at now: ContinuousClock.Instant, share: Double) {
    let next = min(pause.map { $0 * 2 } ?? Self.firstPause, Self.longestPause)
    pause = next
    due = now.advanced(by: next * (0.8 + 0.2 * share))
  }

  /// An attempt succeeded.
  mutating func succeeded() { (pause, due) = (nil, nil) }
}
