internal import RandomSupport
internal import TestSupport
internal import TidingsModel

@testable internal import TidingsEngine

/// A store with random channels, memberships, calls and read marks that goes on changing; and, as
/// plainly as possible, what a feed over it must return to ada's devices.
struct RandomFeed {
  struct Event {
    /// From 1 on.
    var location: Int64
    var batch: Int64
    var id: NotificationID
    var origin: Caller
    var body: [UInt8]
    var time: Int64
  }

  struct Expected {
    var batch: Int64
    var item: NotificationPage.Item
  }

  let store: FeedStore
  private(set) var events: [Event] = []
  private var ranges: [FeedStore.StoredRange] = []
  private(set) var marks: [(id: NotificationID, device: String)] = []
  private var heads: [Int64: Int64] = [:]
  /// Events up to this place are forgotten.
  private(set) var floor: Int64 = 0
  private var time: Int64 = 1_000_000

  static let devices = ["laptop", "server", "phone", ""]

  /// A store with so many channels, of which ada is in most.
  init(channels: Int, using random: inout SplitMix64) throws {
    store = try FeedStore()
    let store = store
    for channel in 1...Int64(channels) {
      heads[channel] = 0
      try store.addChannel(channel, head: 0)
    }
    for channel in 1...Int64(channels) where !random.oneIn(5) { try join(channel) }
  }

  /// Where all that has happened so far ends.
  var last: Int64 { Int64(events.count) }

  /// One call with events in random channels, by anybody.
  mutating func call(using random: inout SplitMix64) throws {
    let origin = Caller(user: random.pick(["ada", "bob"]), device: random.pick(Self.devices))
    let count = random.oneIn(8) ? 1 + random.below(40) : 1 + random.below(3)
    let batch = last + 1
    // Now and then the clock stands still.
    time += Int64(random.below(3))
    for _ in 0..<count {
      let channel = Int64(1 + random.below(heads.count))
      let sequence = (heads[channel] ?? 0) + 1
      heads[channel] = sequence
      let event = Event(
        location: last + 1,
        batch: batch,
        id: NotificationID(channel: channel, sequence: sequence),
        origin: origin,
        body: random.bytes(random.below(60)),
        time: time
      )
      events.append(event)
      try store.add(
        .init(
          channel: channel,
          sequence: sequence,
          committed: time,
          batch: batch,
          origin: origin,
          body: event.body
        )
      )
    }
  }

  /// Ada joins a channel, or leaves it.
  mutating func changeMembership(using random: inout SplitMix64) throws {
    let channel = Int64(1 + random.below(heads.count))
    guard let index = ranges.lastIndex(where: { $0.channel == channel && $0.ended == nil }) else {
      return try join(channel)
    }
    ranges[index].ended = heads[channel]
    try store.execute(
      """
      UPDATE subscriptions SET ended = \(heads[channel] ?? 0)
      WHERE channel_id = \(channel) AND ended IS NULL
      """
    )
  }

  private mutating func join(_ channel: Int64) throws {
    let range = FeedStore.StoredRange(
      channel: channel,
      name: "\(channel)/\(ranges.count)",
      since: heads[channel] ?? 0,
      ended: nil
    )
    ranges.append(range)
    // It may have been swept away when nobody was in it.
    try store.addChannel(channel, head: range.since)
    try store.add(range)
  }

  /// One of ada's devices marks something read, which another user may have marked too.
  mutating func mark(using random: inout SplitMix64) throws {
    let kept = events.filter { $0.location > floor && range(of: $0) != nil }
    guard !kept.isEmpty else { return }
    let id = random.pick(kept).id
    guard !marks.contains(where: { $0.id == id }) else { return }
    let device = random.pick(Self.devices)
    marks.append((id, device))
    try store.markRead(id, by: device)
  }

  /// Forgets what is older than some event, or all but some.
  mutating func retain(using random: inout SplitMix64) throws {
    guard last > 1 else { return }
    let oldest = random.pick(events).time
    var limits = Limits()
    limits.notificationRetentionDays = 1
    limits.notificationsMax = 1 + random.below(Int(2 * last))
    try store.retain(limits: limits, at: oldest + 86_400_000)
    // The newest stays; what is forgotten is all that comes before something that is kept.
    let excess = last - Int64(limits.notificationsMax)
    let kept = events.first { event in
      event.location == last || (event.time >= oldest && event.location > excess)
    }
    floor = max(floor, (kept?.location ?? 1) - 1)
  }

  /// What a device is to get after a place, in order.
  func expected(for caller: Caller, after location: Int64) -> [Expected] {
    let read = Set(marks.map(\.id))
    return events.compactMap { event in
      guard event.location > max(location, floor), let range = range(of: event) else { return nil }
      let isOwn = !caller.device.isEmpty && event.origin == caller
      guard !isOwn, !read.contains(event.id) else { return nil }
      let item = NotificationPage.Item(
        id: event.id,
        subscriptionID: range.name,
        body: event.body
      )
      return Expected(batch: event.batch, item: item)
    }
  }

  /// What other devices marked read, after so many marks.
  func expectedMarks(for caller: Caller, after count: Int) -> [NotificationID] {
    marks.dropFirst(count).compactMap { mark in
      let isOwn = !caller.device.isEmpty && mark.device == caller.device
      return isOwn || isForgotten(mark.id) ? nil : mark.id
    }
  }

  func isForgotten(_ id: NotificationID) -> Bool {
    events.prefix(Int(floor)).contains { $0.id == id }
  }

  /// Something of ada's behind a place is forgotten.
  func isExpired(_ location: Int64) -> Bool {
    events.prefix(Int(floor)).contains { $0.location > location && range(of: $0) != nil }
  }

  private func range(of event: Event) -> FeedStore.StoredRange? {
    ranges.first { range in
      range.channel == event.id.channel && event.id.sequence > range.since
        && event.id.sequence <= range.ended ?? .max
    }
  }
}
