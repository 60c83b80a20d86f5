internal import RandomSupport
internal import TestSupport
internal import TidingsModel

@testable internal import TidingsEngine

/// Random channels, ranges, events and read marks; and what a feed over them must return.
struct RandomFeed {
  let store: FeedStore
  private var ranges: [FeedStore.StoredRange] = []
  private var events: [Int64: [FeedStore.StoredEvent]] = [:]
  private var marks: Set<NotificationID> = []

  init(using random: inout SplitMix64) throws {
    store = try FeedStore()
    for channel in 1...Int64(1 + random.below(25)) {
      addEvents(to: channel, using: &random)
      addRanges(to: channel, using: &random)
    }
    let (store, ranges, events, marks) = (store, ranges, events, marks)
    try store.write {
      for (channel, events) in events {
        try store.addChannel(channel, head: Int64(events.count))
        for event in events { try store.add(event) }
      }
      for range in ranges { try store.add(range) }
      for mark in marks { try store.markRead(mark) }
    }
  }

  /// Times mostly grow; now and then the clock has gone back.
  private mutating func addEvents(to channel: Int64, using random: inout SplitMix64) {
    var clock = Int64(random.below(100))
    var rows: [FeedStore.StoredEvent] = []
    let count = random.oneIn(6) ? 150 : random.below(12)
    for sequence in 0..<Int64(count) {
      clock += random.oneIn(8) ? -Int64(random.below(60)) : Int64(random.below(6))
      let origin = Caller(
        user: random.pick(["ada", "bob"]),
        device: random.pick(["laptop", "server", "phone", ""])
      )
      rows.append(
        .init(
          channel: channel,
          sequence: sequence + 1,
          committed: clock,
          origin: origin,
          body: random.bytes(random.below(60))
        )
      )
      if random.oneIn(channel % 3 == 0 ? 2 : 1_000) {
        marks.insert(NotificationID(channel: channel, sequence: sequence + 1))
      }
    }
    events[channel] = rows
  }

  /// Left and joined again, at random numbers; the last membership may be active.
  private mutating func addRanges(to channel: Int64, using random: inout SplitMix64) {
    let head = events[channel]?.count ?? 0
    let bounds = (0..<2 * (1 + random.below(3))).map { _ in Int64(random.below(head + 1)) }.sorted()
    for index in stride(from: 0, to: bounds.count, by: 2) {
      let isLast = index + 2 == bounds.count
      ranges.append(
        .init(
          channel: channel,
          name: "\(channel)/\(index)",
          since: bounds[index],
          ended: isLast && random.oneIn(2) ? nil : bounds[index + 1]
        )
      )
    }
  }

  /// By commit time, which counts as never decreasing in a channel; then by channel; then by number.
  func expected(for caller: Caller) -> [NotificationPage.Item] {
    var rows: [(key: (Int64, Int64, Int64), item: NotificationPage.Item)] = []
    for (channel, events) in events {
      var latest = Int64.min
      for event in events {
        let range = ranges.first { range in
          range.channel == channel && event.sequence > range.since
            && event.sequence <= range.ended ?? .max
        }
        guard let range else { continue }
        latest = max(latest, event.committed)
        let id = NotificationID(channel: channel, sequence: event.sequence)
        let isOwn = !caller.device.isEmpty && event.origin == caller
        guard !isOwn, !marks.contains(id) else { continue }
        rows.append(
          (
            (latest, channel, event.sequence),
            .init(id: id, subscriptionID: range.name, body: event.body)
          )
        )
      }
    }
    return rows.sorted { $0.key < $1.key }.map(\.item)
  }
}
