import RandomSupport
import Testing
import TidingsMatcher
import TidingsModel

@Suite("Channel index")
struct ChannelIndexTests {
  private func watched(
    _ channel: Int64,
    _ text: String,
    type: String = "T",
    zone: Int64? = nil,
    options: Subscription.FiringOptions = [.recordCreation, .recordUpdate, .recordDeletion]
  ) throws -> WatchedChannel {
    WatchedChannel(
      channel: channel,
      database: 1,
      recordType: type,
      zone: zone,
      predicate: try Predicate(text: text),
      options: options
    )
  }

  private func record(_ fields: RecordFields) -> Record {
    Record(recordID: RecordID(recordName: "r"), recordType: "T", fields: fields)
  }

  private func channels(
    _ index: ChannelIndex,
    old: RecordFields? = nil,
    new: RecordFields?,
    zone: Int64 = 1
  ) -> [Int64] {
    var firings: [Firing] = []
    index.match(
      database: 1,
      zone: zone,
      old: old.map(record),
      new: new.map(record),
      at: Timestamp(millisecondsSince1970: 0),
      into: &firings
    )
    return firings.map(\.channel)
  }

  @Test("creation and update match the new state, deletion the old one")
  func states() throws {
    let index = ChannelIndex()
    index.insert(try watched(1, "a = 1", options: .recordCreation))
    index.insert(try watched(2, "a = 1", options: [.recordUpdate, .once]))
    index.insert(try watched(3, "a = 1", options: .recordDeletion))
    let (one, two): (RecordFields, RecordFields) = (["a": .int64(1)], ["a": .int64(2)])
    #expect(channels(index, new: one) == [1])
    #expect(channels(index, new: two) == [])
    #expect(channels(index, old: two, new: one) == [2])
    #expect(channels(index, old: one, new: two) == [])
    #expect(channels(index, old: one, new: nil) == [3])
    #expect(channels(index, old: two, new: nil) == [])
    #expect(channels(index, new: nil) == [])
  }

  @Test("of several reasons the first counts: created, deleted, entered, left, updated")
  func reasons() throws {
    let index = ChannelIndex()
    index.insert(try watched(1, "a = 1 AND b > 0", options: [.recordEnter, .recordLeave]))
    index.insert(try watched(2, "a = 1 AND b > 0", options: [.recordUpdate, .recordEnter]))
    index.insert(
      try watched(3, "a = 1 AND b > 0", options: Subscription.FiringOptions(rawValue: 63))
    )
    let within: RecordFields = ["a": .int64(1), "b": .int64(1)]
    let without: RecordFields = ["a": .int64(1), "b": .int64(0)]
    let other: RecordFields = ["a": .int64(1), "b": .int64(1), "c": .int64(5)]
    #expect(reasons(index, nil, within) == [1: .entered, 2: .entered, 3: .created])
    #expect(reasons(index, without, within) == [1: .entered, 2: .entered, 3: .entered])
    #expect(reasons(index, within, without) == [1: .left, 3: .left])
    #expect(reasons(index, [:], without) == [:])
    #expect(reasons(index, within, other) == [2: .updated, 3: .updated])
    #expect(reasons(index, within, nil) == [1: .left, 3: .deleted])
    #expect(reasons(index, without, nil) == [:])
  }

  private func reasons(
    _ index: ChannelIndex,
    _ old: RecordFields?,
    _ new: RecordFields?
  ) -> [Int64: Firing.Reason] {
    var firings: [Firing] = []
    index.match(
      database: 1,
      zone: 1,
      old: old.map(record),
      new: new.map(record),
      at: Timestamp(millisecondsSince1970: 0),
      into: &firings
    )
    return Dictionary(uniqueKeysWithValues: firings.map { ($0.channel, $0.reason) })
  }

  @Test("a channel of one zone fires in that zone only")
  func zones() throws {
    let index = ChannelIndex()
    index.insert(try watched(1, "TRUEPREDICATE", zone: 7))
    index.insert(try watched(2, "TRUEPREDICATE"))
    #expect(channels(index, new: [:], zone: 7) == [1, 2])
    #expect(channels(index, new: [:], zone: 8) == [2])
  }

  @Test("a channel found in several ways fires once")
  func once() throws {
    let index = ChannelIndex()
    index.insert(try watched(9, "tags CONTAINS 'x' OR tags CONTAINS 'y' OR a = 1 OR b > 0"))
    index.insert(try watched(3, "b > 0"))
    let fields: RecordFields = [
      "tags": .stringList(["x", "y", "x"]), "a": .int64(1), "b": .int64(1),
    ]
    #expect(channels(index, new: fields) == [3, 9])
  }

  @Test("inserting a number again replaces the channel")
  func replace() throws {
    let index = ChannelIndex()
    index.insert(try watched(1, "a = 1"))
    index.insert(try watched(1, "a = 2"))
    #expect(index.count == 1)
    #expect(channels(index, new: ["a": .int64(1)]) == [])
    #expect(channels(index, new: ["a": .double(2)]) == [1])
    #expect(index.contains(channel: 1))
    #expect(index.watches(database: 1, recordType: "T"))
    #expect(!index.watches(database: 2, recordType: "T"))
    #expect(!index.watches(database: 1, recordType: "U"))
    let removed = index.remove(channel: 1)
    #expect(removed)
    let removedAgain = index.remove(channel: 1)
    #expect(!removedAgain)
    #expect(!index.watches(database: 1, recordType: "T"))
  }

  @Test("prefixes longer than the indexed part still count in full")
  func longPrefixes() throws {
    let index = ChannelIndex()
    let long = String(repeating: "é", count: 40)
    index.insert(try watched(1, "a BEGINSWITH '\(long)x'"))
    index.insert(try watched(2, "a BEGINSWITH '\(long)y'"))
    index.insert(try watched(3, "a BEGINSWITH ''"))
    #expect(channels(index, new: ["a": .string(long + "x!")]) == [1, 3])
    #expect(channels(index, new: ["a": .string(long)]) == [3])
    #expect(channels(index, new: ["a": .int64(1)]) == [])
  }

  @Test("hundreds of watched fields are found from the few that a record has")
  func manyFields() throws {
    let index = ChannelIndex()
    for number in 0..<300 { index.insert(try watched(Int64(number), "f\(number) = 1")) }
    index.insert(try watched(1_000, "recordName = 'r'"))
    index.insert(try watched(1_001, "NOT f7 = 1"))
    #expect(channels(index, new: ["f7": .int64(1), "f299": .int64(1)]) == [7, 299, 1_000])
    #expect(channels(index, new: ["f7": .int64(2)]) == [1_000, 1_001])
  }

  @Test("a selective term is preferred to one that all channels share")
  func selectivity() throws {
    let index = ChannelIndex()
    for number in 0..<2_000 {
      index.insert(try watched(Int64(number), "isOpen = 1 AND owner = 'u\(number)'"))
    }
    let fields: RecordFields = ["isOpen": .int64(1), "owner": .string("u1234")]
    #expect(channels(index, new: fields) == [1_234])
  }

  @Test("thousands of ranges agree with evaluating each", arguments: [1, 2, 3] as [UInt64])
  func ranges(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let index = ChannelIndex()
    var present: [Int64: Predicate] = [:]
    func number() -> String {
      let value = random.below(4_000)
      return random.below(4) == 0 ? "\(Double(value) + 0.5)" : "\(value)"
    }
    func text() -> String {
      switch random.below(8) {
      case 0: "a > \(number())"
      case 1: "a >= \(number())"
      case 2: "a < \(number())"
      case 3: "a <= \(number())"
      case 4: "a BETWEEN {\(number()), \(number())}"
      case 5: "a > 's\(number())'"
      case 6: "a BETWEEN {@2026-01-01T00:00:00Z, @2026-01-02T00:00:00.\(100 + random.below(900))Z}"
      default: "a >= \(number()) AND b = 1"
      }
    }
    for round in 0..<8_000 {
      let channel = Int64(random.below(6_000))
      if random.below(3) < (round < 5_000 ? 2 : 1) {
        let predicate = try Predicate(text: text())
        present[channel] = predicate
        index.insert(
          WatchedChannel(
            channel: channel,
            database: 1,
            recordType: "T",
            predicate: predicate,
            options: .recordCreation
          )
        )
      } else {
        #expect(index.remove(channel: channel) == (present.removeValue(forKey: channel) != nil))
      }
      guard round % 80 == 0 else { continue }
      let value: FieldValue =
        switch random.below(6) {
        case 0: .string("s\(number())")
        case 1: .double(Double(random.below(8_000)) / 2)
        case 2: .timestamp(Timestamp(millisecondsSince1970: 1_767_312_000_000 + 500))
        case 3: .double(random.pick([-1e300, 1e300, 0.1]))
        default: .int64(Int64(random.below(4_000)))
        }
      let fields: RecordFields = ["a": value, "b": .int64(1)]
      let expected = present.filter { $0.value.matches(fields) }.keys.sorted()
      #expect(channels(index, new: fields) == expected, "seed \(seed), round \(round)")
    }
    for channel in present.keys { #expect(index.remove(channel: channel), "seed \(seed)") }
    #expect(index.count == 0)
  }
}
