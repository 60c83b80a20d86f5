internal import RandomSupport
internal import Testing
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
    }
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
