internal import RandomSupport
internal import Testing
internal import TidingsMatcher
internal import TidingsModel

@testable internal import TidingsEngine

/// What the index wants of a channel, as bytes and back.
@Suite struct ChannelWatchTests {
  private func watch(_ source: inout RandomPredicates) throws -> ChannelWatch {
    var definition = Subscription(
      subscriptionID: "",
      recordType: source.random.pick(["", "T", "Häuser am See, alle"]),
      predicate: try Predicate(root: source.node(depth: source.random.below(5))),
      zoneID: source.random.pick([nil, .default, ZoneID(zoneName: "z")]),
      options: Subscription.FiringOptions(rawValue: Int64(source.random.below(64)))
    )
    definition.kind = source.random.pick([.query, .recordZone, .database])
    return ChannelWatch(definition)
  }

  private func decoded(_ bytes: [UInt8]) -> ChannelWatch? {
    bytes.withUnsafeBytes { ChannelWatch($0) }
  }

  @Test("bytes say what they were made of", arguments: [1, 2, 3] as [UInt64])
  func roundTrip(seed: UInt64) throws {
    var source = RandomPredicates(seed: seed)
    for round in 0..<1_000 {
      let watch = try watch(&source)
      let again = try #require(decoded(watch.bytes), "seed \(seed), round \(round)")
      #expect(again == watch, "seed \(seed), round \(round)")
      #expect(again.bytes == watch.bytes, "seed \(seed), round \(round)")
      let record = source.record()
      #expect(again.predicate.matches(record) == watch.predicate.matches(record))
    }
  }

  @Test("damaged bytes are refused or mean something", arguments: [1, 2, 3] as [UInt64])
  func damage(seed: UInt64) throws {
    var source = RandomPredicates(seed: seed)
    for _ in 0..<1_000 {
      let watch = try watch(&source)
      var bytes = watch.bytes
      // Without a NOT at the end there is still a tree.
      if watch.predicate.postfix.last != .not {
        #expect(decoded(Array(bytes.dropLast())) == nil, "seed \(seed)")
      }
      _ = decoded(Array(bytes.prefix(source.random.below(bytes.count))))
      for _ in 0..<(1 + source.random.below(4)) {
        bytes[source.random.below(bytes.count)] = UInt8(source.random.below(256))
      }
      if let changed = decoded(bytes) { _ = changed.predicate.matches(source.record()) }
      let noise = [1] + (0..<source.random.below(40)).map { _ in UInt8(source.random.below(256)) }
      if let made = decoded(noise) { _ = made.predicate.matches(source.record()) }
      _ = conjunction(noise)
      if conjunction(bytes) != nil { #expect(decoded(bytes) != nil, "seed \(seed)") }
    }
  }

  private func conjunction(_ bytes: [UInt8]) -> ConjunctionWatch? {
    bytes.withUnsafeBytes { ConjunctionWatch($0) }
  }

  /// AND of comparisons, many of them such as need no tree.
  private func comparisons(_ source: inout RandomPredicates) -> Predicate.Node {
    .and(
      (0..<1 + source.random.below(4)).map { _ in
        var comparison = source.comparison()
        if source.random.below(8) > 0, comparison.values.count == 1 {
          comparison.modifier = .none
          comparison.isCaseInsensitive = false
          comparison.operator = source.random.pick([.equal, .lessThan, .greaterThanOrEqual])
        }
        let node = Predicate.Node.comparison(comparison)
        return source.random.oneIn(4) ? .not(node) : node
      }
    )
  }

  @Test(
    "conditions read without a tree fire what the tree fires",
    arguments: [1, 2, 3] as [UInt64]
  )
  func conjunctions(seed: UInt64) throws {
    var source = RandomPredicates(seed: seed)
    let (trees, index) = (ChannelIndex(), ChannelIndex())
    var (read, fired) = (0, 0)
    for round in 0..<2_000 {
      let number = Int64(source.random.below(300))
      if source.random.oneIn(3) {
        let removed = (trees.remove(channel: number), index.remove(channel: number))
        #expect(removed.0 == removed.1, "seed \(seed), round \(round)")
      } else if let predicate = try? Predicate(root: comparisons(&source)) {
        var definition = Subscription(
          subscriptionID: "",
          recordType: "T",
          predicate: predicate,
          options: Subscription.FiringOptions(rawValue: Int64(1 + source.random.below(63)))
        )
        definition.kind = .query
        let watched = WatchedChannel(
          channel: number,
          database: 1,
          recordType: "T",
          predicate: predicate,
          options: definition.options
        )
        trees.insert(watched)
        if let watch = conjunction(ChannelWatch(definition).bytes) {
          read += 1
          index.insert(
            number,
            database: 1,
            recordType: watch.recordType,
            zone: nil,
            options: watch.options,
            conditions: watch.conditions
          )
        } else {
          index.insert(watched)
        }
      }
      let (old, new) = (source.record(), source.random.oneIn(4) ? nil : source.record())
      let firings = [trees, index].map { index in
        var firings: [Firing] = []
        index.match(database: 1, zone: 0, old: old, new: new, at: nil, into: &firings)
        return firings
      }
      #expect(firings[0] == firings[1], "seed \(seed), round \(round)")
      #expect(
        trees.openComparisons(database: 1, recordType: "T")
          == index.openComparisons(database: 1, recordType: "T"),
        "seed \(seed), round \(round)"
      )
      fired += firings[0].count
    }
    #expect(read > 100 && fired > 1_000, "seed \(seed): \(read) read, \(fired) fired")
  }

  @Test("bytes of another version are not read")
  func version() throws {
    var source = RandomPredicates(seed: 1)
    var bytes = try watch(&source).bytes
    bytes[0] += 1
    #expect(decoded(bytes) == nil)
    #expect(decoded([]) == nil)
  }

  @Test("numbers of any size come back, and a length beyond the end is refused")
  func numbers() {
    for number in [0, 1, 127, 128, 16_383, 16_384, 1 << 62, UInt64.max] {
      var writer = ByteWriter()
      writer.write(number: number)
      writer.write(word: number)
      writer.bytes.withUnsafeBytes {
        var reader = ByteReader($0)
        #expect(reader.number() == number)
        #expect(reader.word() == number)
        #expect(reader.isAtEnd)
        #expect(reader.word() == nil && reader.number() == nil && reader.string() == nil)
      }
    }
    let tooMany: [[UInt8]] = [
      [UInt8](repeating: 0xff, count: 9) + [0x01, 1], [UInt8](repeating: 0xff, count: 11), [2, 65],
      [2, 0xc3, 0x28],
    ]
    for bytes in tooMany {
      bytes.withUnsafeBytes {
        var reader = ByteReader($0)
        #expect(reader.string() == nil)
      }
    }
  }
}
