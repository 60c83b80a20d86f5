internal import TidingsModel

/// How a notification was published.
struct Publication: Hashable {
  /// When, by the server's clock.
  let time: Timestamp
  /// Whether it was merged with later events into a push without content.
  let isCoalesced: Bool
  /// Whether the push was pruned.
  let isPruned: Bool
}

/// How the newest notifications were published, for tracing.
///
/// Each publication is noted and hardly one is asked for: they are in their order, and looked through.
struct PublicationLog {
  /// Capacity, in notifications; the oldest are discarded.
  private let countMax: Int

  /// A ring buffer once it is full.
  private var entries: [(channel: Int64, sequence: Int64, publication: Publication)] = []
  private var next = 0

  /// A log of so many notifications.
  init(countMax: Int) { self.countMax = countMax }

  /// Records how an event was published.
  mutating func note(_ channel: Int64, _ sequence: Int64, _ publication: Publication) {
    guard entries.count == countMax else {
      return entries.append((channel, sequence, publication))
    }
    entries[next] = (channel, sequence, publication)
    next = (next + 1) % countMax
  }

  /// How an event was published; `nil` if that was discarded.
  func find(_ channel: Int64, _ sequence: Int64) -> Publication? {
    // The newest one first: an event may have been published again.
    let halves = [entries[..<next], entries[next...]]
    return halves.lazy.compactMap { half in
      half.last { $0.channel == channel && $0.sequence == sequence }?.publication
    }.first
  }
}
