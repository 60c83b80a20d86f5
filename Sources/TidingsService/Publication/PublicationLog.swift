internal import TidingsModel

/// How a notification was published.
struct Publication: Hashable {
  /// When, by the server's clock.
  let time: Timestamp
  /// In one push together with later ones, without content.
  let isCoalesced: Bool
  /// The push was pruned.
  let isPruned: Bool
}

/// How the newest notifications were published, for those who trace one.
struct PublicationLog {
  /// Most notifications that it knows; older ones are forgotten.
  static let countMax = 100_000

  /// The place of each in `entries`.
  private var places: [Key: Int] = [:]
  /// A ring, once it is full.
  private var entries: [(key: Key, publication: Publication)] = []
  private var next = 0

  private struct Key: Hashable {
    let channel: Int64
    let sequence: Int64
  }

  /// Notes how an event was published.
  mutating func note(_ channel: Int64, _ sequence: Int64, _ publication: Publication) {
    let key = Key(channel: channel, sequence: sequence)
    if let place = places[key] {
      entries[place].publication = publication
    } else if entries.count < Self.countMax {
      places[key] = entries.count
      entries.append((key, publication))
    } else {
      places[entries[next].key] = nil
      places[key] = next
      entries[next] = (key, publication)
      next = (next + 1) % Self.countMax
    }
  }

  /// How an event was published; `nil`: that is not known any more.
  func find(_ channel: Int64, _ sequence: Int64) -> Publication? {
    places[Key(channel: channel, sequence: sequence)].map { entries[$0].publication }
  }
}
