internal import TidingsRPC

/// Connections that were admitted and are used for nothing yet, by whose they are.
///
/// A value without clock or socket. Which connection ended unused is unknown; one that is still
/// unused after a minute is ended, so one counts for as long.
struct UnusedConnections {
  private let perOwnerMax: Int
  private var owners: [ConnectionNumber: CallerKey] = [:]
  private var counts: [CallerKey: Int] = [:]
  /// In the order in which they stop counting.
  private var queue: [(number: ConnectionNumber, due: ContinuousClock.Instant)] = []
  private var head = 0

  /// None, and room for so many of one owner.
  init(perOwnerMax: Int) { self.perOwnerMax = perOwnerMax }

  /// Whether one more of an owner is admitted.
  mutating func admits(_ owner: CallerKey, _ now: ContinuousClock.Instant) -> Bool {
    while head < queue.count, queue[head].due <= now {
      used(queue[head].number)
      head += 1
    }
    if head * 2 > queue.count {
      queue.removeFirst(head)
      head = 0
    }
    return counts[owner, default: 0] < perOwnerMax
  }

  /// One is admitted.
  mutating func add(
    _ number: ConnectionNumber,
    of owner: CallerKey,
    _ now: ContinuousClock.Instant
  ) {
    owners[number] = owner
    counts[owner, default: 0] += 1
    queue.append((number, now.advanced(by: ConnectionTable.silenceMax)))
  }

  /// One is used.
  mutating func used(_ number: ConnectionNumber) {
    guard let owner = owners.removeValue(forKey: number) else { return }
    let count = counts[owner, default: 1] - 1
    counts[owner] = count == 0 ? nil : count
  }
}
