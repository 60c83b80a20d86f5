/// A warning of something that may go on happening: it is logged once a minute.
struct PacedWarning {
  private var last: ContinuousClock.Instant?

  /// Whether it is to be logged now.
  mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
    if let last, last.duration(to: now) < .seconds(60) { return false }
    last = now
    return true
  }
}
