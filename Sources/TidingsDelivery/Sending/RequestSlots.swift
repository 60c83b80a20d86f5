/// Who may be sent to now: at most so many requests to a host, or of a user, at a time, and some that wait for these.
///
/// A value without clock or thread.
struct HostSlots<Element> {
  enum Decision: Equatable {
    /// Send it.
    case start
    /// `finished` returns it later.
    case queued
    /// The host has enough: it may have room after so long.
    case full(Duration)
  }

  private struct Host {
    var running = 0
    var queue: [Element] = []
    /// How long a request takes, roughly.
    var requestTime = Duration.milliseconds(250)
    /// Those that found the host full are expected to be sent until then, one after the other.
    var isTakenUntil: ContinuousClock.Instant
  }

  private static var pauses: ClosedRange<Duration> { .milliseconds(100) ... .seconds(60) }
  /// Hosts without requests are looked for when there are more.
  private static var hostsMax: Int { 1_000 }

  private var hosts: [String: Host] = [:]

  /// How many requests to a host are under way.
  func runningCount(_ name: String) -> Int { hosts[name]?.running ?? 0 }

  /// Adds a request to a host.
  ///
  /// - Parameters:
  ///   - element: The request.
  ///   - name: The host.
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
    if hosts.count >= Self.hostsMax { removeIdle(now) }
    var host = hosts.removeValue(forKey: name) ?? Host(isTakenUntil: now)
    defer { hosts[name] = host }
    if host.running < max {
      host.running += 1
      return .start
    }
    if host.queue.count < queueMax {
      host.queue.append(element)
      return .queued
    }
    // Each comes back when it is likely to be sent, so that few are leased in vain.
    let share = host.requestTime / max
    host.isTakenUntil = Swift.max(host.isTakenUntil, now + share * host.queue.count) + share
    let pause = host.isTakenUntil - now
    return .full(Swift.min(Swift.max(pause, Self.pauses.lowerBound), Self.pauses.upperBound))
  }

  /// A request to a host has ended.
  ///
  /// - Parameters:
  ///   - name: The host.
  ///   - time: How long it took; `nil`: it was not sent.
  ///   - now: The time.
  /// - Returns: The next one.
  mutating func finished(
    _ name: String,
    after time: Duration?,
    at now: ContinuousClock.Instant
  ) -> Element? {
    guard var host = hosts.removeValue(forKey: name) else { return nil }
    if let time { host.requestTime = (host.requestTime * 7 + time) / 8 }
    defer { if host.running > 0 || host.isTakenUntil > now { hosts[name] = host } }
    guard host.queue.isEmpty else { return host.queue.removeFirst() }
    host.running -= 1
    return nil
  }

  private mutating func removeIdle(_ now: ContinuousClock.Instant) {
    hosts = hosts.filter { $0.value.running > 0 || $0.value.isTakenUntil > now }
  }
}
