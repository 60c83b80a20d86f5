internal import Synchronization

/// One line on a terminal that shows the progress of a long operation.
///
/// Nothing is shown with `--quiet` or `--no-progress`, or if messages do not go to a terminal.
final class Progress: Sendable {
  /// The minimum time between changes.
  private static let interval = Duration.milliseconds(100)

  private let output: Output
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let nextUpdate = Mutex<ContinuousClock.Instant?>(nil)

  /// A line that is not shown yet.
  init(
    _ output: Output,
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.output = output
    self.clock = clock
  }

  /// Replaces the line, unless the previous one was shown only just now.
  ///
  /// - Parameter line: Returns the line; called only if it is shown.
  func update(_ line: () -> String) {
    guard output.showsProgress else { return }
    let now = clock()
    let isDue = nextUpdate.withLock { next in
      if let next, now < next { return false }
      next = now.advanced(by: Self.interval)
      return true
    }
    if isDue { output.show(progress: line()) }
  }

  /// Removes the line.
  func end() { output.endProgress() }
}
