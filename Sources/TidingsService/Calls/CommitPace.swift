/// Decides where a group is committed: on the loop, which costs least, or on a thread of its own while the disk is slow,
/// so that what reads does not wait for it.
///
/// A value: durations go in.
struct CommitPace {
  /// With commits that take longer, reads wait longer than for a thread.
  private static let slow = Duration.milliseconds(4)
  /// With commits that take less, the loop does them again.
  private static let quick = Duration.milliseconds(2)
  /// A disk that stands still for so long does so again soon, however quick it is between.
  private static let stall = Duration.milliseconds(40)
  /// So long after it stood still the disk counts as slow.
  private static let caution = Duration.seconds(10)

  /// The last commits are a fast disk's no more.
  private(set) var isSlow = false
  /// Of the last ones, the newest counting most.
  private var average = Duration.zero
  /// Until then the disk counts as slow.
  private var cautionEnd: ContinuousClock.Instant?

  /// A group was committed.
  mutating func note(_ duration: Duration, at now: ContinuousClock.Instant) {
    average += (duration - average) / 4
    if duration >= Self.stall { cautionEnd = now.advanced(by: Self.caution) }
    if let end = cautionEnd, end <= now { cautionEnd = nil }
    isSlow = cautionEnd != nil || average > (isSlow ? Self.quick : Self.slow)
  }
}
