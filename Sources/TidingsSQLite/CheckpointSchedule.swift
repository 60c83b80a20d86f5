/// When the log is to be moved next: a pure value.
struct CheckpointSchedule {
  private let step: Int
  private var due: Int
  private var last = 0

  init(_ thresholds: LogThresholds) {
    step = thresholds.worthMoving
    due = step
  }

  /// Whether the log is to be moved, so long as it is after a commit.
  mutating func isDue(at frames: Int) -> Bool {
    // It was begun again.
    if frames < last { due = step }
    last = frames
    guard frames >= due else { return false }
    // Not with each commit while snapshots keep it from being begun again.
    due = frames + step
    return true
  }
}
