/// Decides where a group is committed: on the loop, which costs least, or on a thread of its own while the disk is slow,
/// so that what reads does not wait for it.
///
/// A value: durations go in.
struct CommitPace {
  /// With commits that take longer, reads wait longer than for a thread.
  private static let slow = Duration.milliseconds(4)
  /// With commits that take less, the loop does them again.
  private static let quick = Duration.milliseconds(2)

  /// The last commits are a fast disk's no more.
  private(set) var isSlow = false
  /// Of the last ones, the newest counting most.
  private var average = Duration.zero

  /// A group was committed.
  mutating func note(_ duration: Duration) {
    average += (duration - average) / 4
    isSlow = average > (isSlow ? Self.quick : Self.slow)
  }
}
