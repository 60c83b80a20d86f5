/// What may be sent now: at most so many requests of a group at a time, and some that wait for these.
///
/// A group is the requests to a host, or those of a user. A value without clock or thread.
struct RequestSlots<Element> {
  enum Decision: Equatable {
    /// Send it.
    case start
    /// `finished` returns it later.
    case queued
    /// The group has enough: it may have room after so long.
    case full(Duration)
  }

  private struct Group {
    var running = 0
    var queue: [Element] = []
    /// How long a request takes, roughly.
    var requestTime = Duration.milliseconds(250)
    /// Those that found the group full are expected to be sent until then, one after the other.
    var isTakenUntil: ContinuousClock.Instant
  }

  private static var pauses: ClosedRange<Duration> { .milliseconds(100) ... .seconds(60) }
  /// Groups without requests are looked for when there are more.
  private static var groupsMax: Int { 1_000 }

  private var groups: [String: Group] = [:]

  /// How many requests of a group are under way.
  func runningCount(_ name: String) -> Int { groups[name]?.running ?? 0 }

  /// Adds a request to a group.
  ///
  /// - Parameters:
  ///   - element: The request.
  ///   - name: The group's name.
  ///   - max: Requests at a time.
  ///   - queueMax: Requests that wait for these.
  ///   - now: The time.
  /// - Returns: What becomes of it.
  mutating func add(
    _ element: Element,
    to name: String,
    max: Int,
    queueMax: Int,
    at now: ContinuousClock.Instant
  ) -> Decision {
    if groups.count >= Self.groupsMax { removeIdle(now) }
    var group = groups.removeValue(forKey: name) ?? Group(isTakenUntil: now)
    defer { groups[name] = group }
    if group.running < max {
      group.running += 1
      return .start
    }
    if group.queue.count < queueMax {
      group.queue.append(element)
      return .queued
    }
    // Each comes back when it is likely to be sent, so that few are leased in vain.
    let share = group.requestTime / max
    let expected = Swift.max(group.isTakenUntil, now + share * group.queue.count) + share
    // Whoever would have to wait longer comes back too early, and has no place until then.
    group.isTakenUntil = Swift.min(expected, now + Self.pauses.upperBound)
    return .full(Swift.max(group.isTakenUntil - now, Self.pauses.lowerBound))
  }

  /// A request of a group has ended.
  ///
  /// - Parameters:
  ///   - name: The group's name.
  ///   - time: How long it took; `nil`: it was not sent.
  ///   - now: The time.
  /// - Returns: The next one.
  mutating func finished(
    _ name: String,
    after time: Duration?,
    at now: ContinuousClock.Instant
  ) -> Element? {
    guard var group = groups.removeValue(forKey: name) else { return nil }
    if let time { group.requestTime = (group.requestTime * 7 + time) / 8 }
    defer { if group.running > 0 || group.isTakenUntil > now { groups[name] = group } }
    guard group.queue.isEmpty else { return group.queue.removeFirst() }
    group.running -= 1
    return nil
  }

  private mutating func removeIdle(_ now: ContinuousClock.Instant) {
    groups = groups.filter { $0.value.running > 0 || $0.value.isTakenUntil > now }
  }
}
