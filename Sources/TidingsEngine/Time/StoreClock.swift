internal import TidingsModel

/// Makes the store's times from what the system's clocks show: readings in, moments out.
///
/// Steady time goes on with the uptime of the system, whatever becomes of the time of day. Only time
/// that the uptime does not count (the system was off, or a virtual machine was halted) is taken from
/// the time of day: when that is ahead of the steady time, as much of it counts as it was ahead by all
/// the time, once it has been for long enough. The time of day being behind means nothing: steady time
/// never goes back.
struct StoreClock {
  /// The time of day is ahead of the steady time.
  struct Lead: Hashable {
    /// Since when.
    var since: SteadyTime
    /// The least milliseconds that it was ahead since then.
    var least: Int64
  }

  /// Where the next run goes on.
  struct Saved: Hashable {
    /// The steady time.
    var steady: SteadyTime
    /// What the system's clocks showed then.
    var uptime: Int64
    /// Which start of the system that was.
    var boot: Int64
    /// The time of day was ahead then.
    var lead: Lead?
  }

  /// Differences up to here mean nothing.
  static let tolerance: Int64 = 1_000
  /// How long the time of day must be ahead until it is trusted.
  static let patience = Duration.seconds(3_600)
  /// How long if it is more than `largeLead` ahead, which would let much be forgotten.
  static let patienceWithLarge = Duration.seconds(24 * 3_600)
  static let largeLead = Duration.seconds(24 * 3_600)

  /// Steady time less uptime.
  private(set) var offset: Int64
  private(set) var lead: Lead?
  private var last: SteadyTime
  private var isBehind = false
  private var isFirst = true
  private var notice: ClockNotice?
  private let boot: Int64

  /// A clock that continues that of an earlier run of the server.
  ///
  /// - Parameters:
  ///   - reading: What the clocks show.
  ///   - saved: What was kept of the other run; `nil`: there was none, and the time of day is used.
  init(_ reading: ClockReading, after saved: Saved?) {
    let isSameBoot = saved?.boot == reading.boot && reading.boot != 0
    last = saved?.steady ?? SteadyTime(milliseconds: reading.timeOfDay.millisecondsSince1970)
    lead = saved?.lead
    boot = reading.boot
    if let saved, isSameBoot, saved.uptime <= reading.uptime {
      last = SteadyTime(milliseconds: saved.steady.milliseconds + reading.uptime - saved.uptime)
    }
    offset = last.milliseconds - reading.uptime
  }

  /// Takes a reading.
  mutating func read(_ reading: ClockReading) -> Moment {
    last = max(last, SteadyTime(milliseconds: reading.uptime + offset))
    follow(ahead: reading.timeOfDay.millisecondsSince1970 - last.milliseconds)
    isFirst = false
    return Moment(timeOfDay: reading.timeOfDay, steady: last)
  }

  /// What to keep for the next run.
  var saved: Saved {
    Saved(steady: last, uptime: last.milliseconds - offset, boot: boot, lead: lead)
  }

  /// What is worth a line in the log since this was asked last.
  mutating func takeNotice() -> ClockNotice? {
    defer { notice = nil }
    return notice
  }

  /// The time of day is ahead of the steady time by so much, or behind if it is negative.
  private mutating func follow(ahead: Int64) {
    note(isBehind: ahead < -Self.tolerance, ahead)
    guard ahead > Self.tolerance else {
      lead = nil
      return
    }
    var current = lead ?? Lead(since: last, least: ahead)
    if lead == nil {
      notice = isFirst ? .aheadSinceLastRun(.milliseconds(ahead)) : .ahead(.milliseconds(ahead))
    }
    current.least = min(current.least, ahead)
    lead = current
    guard current.since.advanced(by: Self.patience(for: .milliseconds(current.least))) <= last
    else { return }
    offset += current.least
    last.milliseconds += current.least
    notice = .counted(.milliseconds(current.least))
    let rest = ahead - current.least
    lead = rest > Self.tolerance ? Lead(since: last, least: rest) : nil
  }

  private mutating func note(isBehind: Bool, _ ahead: Int64) {
    if isBehind, !self.isBehind { notice = .behind(.milliseconds(-ahead)) }
    self.isBehind = isBehind
  }

  /// How long a lead must last.
  static func patience(for lead: Duration) -> Duration {
    lead > largeLead ? patienceWithLarge : patience
  }
}
