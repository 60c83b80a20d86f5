/// Who may be sent to now: at most so many requests to a host at a time, and a few that wait for these.
///
/// A value without clock or thread.
struct HostSlots<Element> {
  enum Decision {
    /// Send it.
    case start
    /// `finished` returns it later.
    case queued
    /// The host has enough: later.
    case full
  }

  private struct Host {
    var running = 0
    var queue: [Element] = []
  }

  private var hosts: [String: Host] = [:]

  /// Adds a request to a host.
  mutating func add(_ element: Element, to name: String, max: Int) -> Decision {
    var host = hosts.removeValue(forKey: name) ?? Host()
    defer { hosts[name] = host }
    if host.running < max {
      host.running += 1
      return .start
    }
    guard host.queue.count < max else { return .full }
    host.queue.append(element)
    return .queued
  }

  /// A request to a host has ended.
  ///
  /// - Returns: The next one.
  mutating func finished(_ name: String) -> Element? {
    guard var host = hosts.removeValue(forKey: name) else { return nil }
    guard host.queue.isEmpty else {
      defer { hosts[name] = host }
      return host.queue.removeFirst()
    }
    host.running -= 1
    if host.running > 0 { hosts[name] = host }
    return nil
  }
}
