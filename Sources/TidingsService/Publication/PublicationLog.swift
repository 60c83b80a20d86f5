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
struct PublicationLog {
  /// Capacity, in notifications; the oldest are discarded.
  private let countMax: Int

  /// Indices in `entries`.
  private var indices: [Key: Int] = [:]
  /// A ring buffer once it is full.
  private var entries: [(key: Key, publication: Publication)] = []
  private var next = 0

  private struct Key: Hashable {
    let channel: Int64
    let sequence: Int64
  }

  /// A log of so many notifications.
  init(countMax: Int) { self.countMax = countMax }

  /// Records how an event was published.
  mutating func note(_ channel: Int64, _ sequence: Int64, _ publication: Publication) {
    let key = Key(channel: channel, sequence: sequence)
    if let index = indices[key] {
      entries[index].publication = publication
    } else if entries.count < countMax {
      indices[key] = entries.count
      entries.append((key, publication))
    } else {
      indices[entries[next].key] = nil
      indices[key] = next
      entries[next] = (key, publication)
      next = (next + 1) % countMax
    }
  }

  /// How an event was published; `nil` if that was discarded.
  func find(_ channel: Int64, _ sequence: Int64) -> Publication? {
    indices[Key(channel: channel, sequence: sequence)].map { entries[$0].publication }
  }
}
