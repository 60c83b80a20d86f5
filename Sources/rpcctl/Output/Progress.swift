internal import Synchronization

/// One line on a terminal that tells how far long work has come.
///
/// Nothing is shown where nobody looks: with `--quiet`, with `--no-progress`, and where messages do
/// not go to a terminal.
final class Progress: Sendable {
  /// How often the line changes.
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

  /// Shows a line in place of the one before, unless that was only just shown.
  ///
  /// - Parameter line: Makes the line; called only when it is shown.
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
