/// Connections that were admitted and are used for nothing yet, by their keys.
///
/// A value without clock or socket. Which connection ended unused is unknown; one that is still
/// unused after a minute is ended, so one counts for as long.
struct UnusedConnections {
  private var keys: [ConnectionNumber: Int64] = [:]
  private var counts: [Int64: Int] = [:]
  /// In the order in which they stop counting.
  private var queue: [(number: ConnectionNumber, due: ContinuousClock.Instant)] = []
  private var head = 0

  /// Whether one more of a key is admitted.
  mutating func admits(_ key: Int64, _ now: ContinuousClock.Instant) -> Bool {
    while head < queue.count, queue[head].due <= now {
      used(queue[head].number)
      head += 1
    }
    if head * 2 > queue.count {
      queue.removeFirst(head)
      head = 0
    }
    return counts[key, default: 0] < SocketLimits.unusedPerKeyMax
  }

  /// One is admitted.
  mutating func add(_ number: ConnectionNumber, of key: Int64, _ now: ContinuousClock.Instant) {
    keys[number] = key
    counts[key, default: 0] += 1
    queue.append((number, now.advanced(by: ConnectionTable.silenceMax)))
  }

  /// One is used.
  mutating func used(_ number: ConnectionNumber) {
    guard let key = keys.removeValue(forKey: number) else { return }
    let count = counts[key, default: 1] - 1
    counts[key] = count == 0 ? nil : count
  }
}
