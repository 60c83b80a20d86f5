import RandomSupport
import Testing
import TidingsMatcher
import TidingsModel

@Suite("Channel index, at random")
struct ChannelIndexPropertyTests {
  @Test("fires what evaluating every channel fires", arguments: Array(1...8) as [UInt64])
  func agreesWithScan(seed: UInt64) throws {
    var source = RandomPredicates(seed: seed, recordTypes: ["T", "T", "U"])
    let index = ChannelIndex()
    var channels: [Int64: WatchedChannel] = [:]
    var firingCount = 0
    for round in 0..<4_000 {
      // Grow to hundreds of channels, shrink to none, grow again.
      let isGrowing = (round / 1_000).isMultiple(of: 2)
      if source.random.below(10) < (isGrowing ? 7 : 2) {
        let channel = try source.channel()
        index.insert(channel)
        channels[channel.channel] = channel
      } else {
        let number = source.channelNumber()
        #expect(
          index.remove(channel: number) == (channels.removeValue(forKey: number) != nil),
          "seed \(seed), round \(round)"
        )
      }
      #expect(index.count == channels.count)
      for _ in 0..<2 {
        firingCount += check(index, channels, &source, "seed \(seed), round \(round)")
      }
    }
    for channel in channels.keys { #expect(index.remove(channel: channel), "seed \(seed)") }
    #expect(index.count == 0)
    #expect(!index.watches(database: 0, recordType: "T"))
    #expect(firingCount > 10_000, "seed \(seed)")
  }

  private func check(
    _ index: ChannelIndex,
    _ channels: [Int64: WatchedChannel],
    _ source: inout RandomPredicates,
    _ place: Comment
  ) -> Int {
    let database = Int64(source.random.below(2))
    let zone = Int64(source.random.below(2))
    let old = source.random.below(3) > 0 ? source.record() : nil
    let new = old == nil || source.random.below(3) > 0 ? source.record() : nil
    let reason: Firing.Reason = new == nil ? .deleted : (old == nil ? .created : .updated)
    guard let state = new ?? old else { return 0 }
    let expected = channels.values.filter {
      $0.database == database && $0.recordType == state.recordType
        && ($0.zone == nil || $0.zone == zone) && $0.options.contains(reason.option)
        && $0.predicate.matches(state)
    }.map { Firing(channel: $0.channel, reason: reason) }.sorted { $0.channel < $1.channel }
    // What is there already stays.
    let before = Firing(channel: .max, reason: .created)
    var firings = [before]
    index.match(database: database, zone: zone, old: old, new: new, into: &firings)
    #expect(Array(firings.dropFirst()) == expected, place)
    #expect(firings.first == before, place)
    return expected.count
  }
}

extension RandomPredicates {
  mutating func channelNumber() -> Int64 { Int64(random.below(600)) }

  mutating func channel() throws -> WatchedChannel {
    WatchedChannel(
      channel: channelNumber(),
      database: Int64(random.below(2)),
      recordType: random.pick(["T", "T", "T", "U"]),
      zone: random.below(3) == 0 ? Int64(random.below(2)) : nil,
      predicate: try Predicate(root: node(depth: random.below(4))),
      options: Subscription.FiringOptions(rawValue: Int64(1 + random.below(15)))
    )
  }
}
