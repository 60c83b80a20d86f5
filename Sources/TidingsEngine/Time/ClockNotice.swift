/// A difference between the system's clock and the time that passed, worth a line in the server's log.
public enum ClockNotice: Hashable, Sendable {
  /// The clock went ahead: it is not believed yet.
  case ahead(Duration)
  /// The clock went ahead while the server did not run: perhaps the machine was off.
  case aheadSinceLastRun(Duration)
  /// The clock went back: only dates follow it.
  case behind(Duration)
  /// The clock stayed ahead, and so much counts as time that passed.
  case counted(Duration)

  /// Somebody may have to set the clock.
  public var isWarning: Bool {
    switch self {
    case .ahead, .behind: true
    case .aheadSinceLastRun, .counted: false
    }
  }

  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .ahead(let lead):
      "the system clock is \(lead.rounded) ahead of the time that passed: set it if it is wrong; if it "
        + "stays so, retention follows it after \(StoreClock.patience(for: lead).rounded)"
    case .aheadSinceLastRun(let lead):
      "since the last run the system clock went ahead by \(lead.rounded) in which the machine did not "
        + "run: they count as passed after \(StoreClock.patience(for: lead).rounded); set the clock if "
        + "it is wrong"
    case .behind(let lag):
      "the system clock is \(lag.rounded) behind the time that passed: set it if it is wrong; dates of "
        + "records follow it, retention and leases do not"
    case .counted(let lead):
      "the system clock stayed ahead: \(lead.rounded) more count as passed for retention and leases"
    }
  }
}

extension Duration {
  /// For people, in the largest unit that fits: `2 hours` also where some seconds are missing.
  fileprivate var rounded: String {
    let seconds = components.seconds
    let units: [(size: Int64, name: String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
    let fitting = units.first { seconds > $0.size - $0.size / 60 } ?? (1, "second")
    let count = (seconds + fitting.size / 2) / fitting.size
    return count == 1 ? "1 \(fitting.name)" : "\(count) \(fitting.name)s"
  }
}
