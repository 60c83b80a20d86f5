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
    _ location: Comment
  ) -> Int {
    let database = Int64(source.random.below(2))
    let zone = Int64(source.random.below(2))
    let (old, new) = source.change()
    let expected = channels.values.compactMap {
      $0.firing(of: old, new, zone, database)
    }.sorted { $0.channel < $1.channel }
    // What is there already stays.
    let before = Firing(channel: .max, reason: .created)
    var firings = [before]
    let time = Timestamp(millisecondsSince1970: 0)
    index.match(database: database, zone: zone, old: old, new: new, at: time, into: &firings)
    #expect(Array(firings.dropFirst()) == expected, location)
    #expect(firings.first == before, location)
    guard source.random.oneIn(32) else { return expected.count }
    let memory = EvaluationMemory(
      stepsMax: source.random.pick([0, 300, 3_000, nil] as [Int?]),
      largeBytesMin: 0
    )
    repeat {
      memory.beginPass()
      firings = []
      index.match(
        database: database,
        zone: zone,
        old: old,
        new: new,
        at: nil,
        memory: memory,
        into: &firings
      )
    } while memory.hasPending && memory.work { false }
    #expect(firings == expected, location)
    return expected.count
  }
}

extension WatchedChannel {
  /// The definition of a firing, word by word.
  fileprivate func firing(
    of old: Record?,
    _ new: Record?,
    _ zone: Int64,
    _ database: Int64
  )
    -> Firing?
  {
    guard let record = new ?? old, self.database == database, recordType == record.recordType,
      self.zone == nil || self.zone == zone
    else { return nil }
    let (before, after) = (old.map(predicate.matches), new.map(predicate.matches))
    let reason: Firing.Reason? =
      if before == nil, after == true, options.contains(.recordCreation) {
        .created
      } else if after == nil, before == true, options.contains(.recordDeletion) {
        .deleted
      } else if before != true, after == true, options.contains(.recordEnter) {
        .entered
      } else if before == true, after != true, options.contains(.recordLeave) {
        .left
      } else if before != nil, after == true, options.contains(.recordUpdate) {
        .updated
      } else {
        nil
      }
    return reason.map { Firing(channel: channel, reason: $0) }
  }
}

extension RandomPredicates {
  /// A creation, an update of some fields or all, or a deletion.
  fileprivate mutating func change() -> (old: Record?, new: Record?) {
    let old = record()
    switch random.below(8) {
    case 0: return (nil, old)
    case 1: return (old, nil)
    case 2, 3:
      var new = record()
      new.recordID = old.recordID
      new.recordType = old.recordType
      return (old, new)
    default:
      var new = old
      for name in Self.fields where random.oneIn(3) {
        new.fields[name] = random.oneIn(4) ? nil : value()
      }
      if random.oneIn(4) { new.parent = record().parent }
      return (old, new)
    }
  }

  mutating func channelNumber() -> Int64 { Int64(random.below(600)) }

  mutating func channel() throws -> WatchedChannel {
    WatchedChannel(
      channel: channelNumber(),
      database: Int64(random.below(2)),
      recordType: random.pick(["T", "T", "T", "U"]),
      zone: random.below(3) == 0 ? Int64(random.below(2)) : nil,
      predicate: try Predicate(root: node(depth: random.below(4))),
      options: Subscription.FiringOptions(rawValue: Int64(1 + random.below(63)))
    )
  }
}
