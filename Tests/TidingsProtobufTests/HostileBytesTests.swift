import GeneratedFixture
import RandomSupport
import Testing
import TidingsProto
import TidingsProtobuf

@Suite("Hostile bytes")
struct HostileBytesTests {
  private func reason<M: Message>(
    _ bytes: [UInt8],
    as type: M.Type
  ) -> MessageDecodingError? {
    do {
      _ = try M(decoding: bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test("invalid UTF-8 is refused, with the field's name")
  func refusesInvalidUTF8() {
    for bad in [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0x61, 0x80]] as [[UInt8]] {
      let data = [UInt8(bad.count)] + bad
      #expect(
        reason([0x72] + data, as: FixtureV1.Scalars.self)
          == MessageDecodingError(.invalidUTF8, in: "fixture.v1.Scalars.string_value")
      )
      #expect(reason([0x72] + data, as: FixtureV1.Optionals.self)?.reason == .invalidUTF8)
      #expect(reason([0x72] + data, as: FixtureV1.Lists.self)?.reason == .invalidUTF8)
      #expect(reason([0x12] + data, as: FixtureV1.Choices.self)?.reason == .invalidUTF8)
      let key = [0x0a, UInt8(data.count + 1), 0x0a] + data
      #expect(
        reason(key, as: FixtureV1.Maps.self)
          == MessageDecodingError(.invalidUTF8, in: "fixture.v1.Maps.by_string")
      )
    }
  }

  /// `depth` trees, each the field `number` of the one around it; the outermost counts.
  private func nested(_ depth: Int, number: UInt8) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 1..<depth { bytes = [number << 3 | 2] + varint(bytes.count) + bytes }
    return bytes
  }

  private func varint(_ value: Int) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value & 127 | 128)] + varint(value >> 7)
  }

  @Test("nesting is decoded to the limit and refused beyond", arguments: [2, 3, 4] as [UInt8])
  func limitsNesting(number: UInt8) throws {
    _ = try FixtureV1.Tree(decoding: nested(MessageDecodingError.nestingMax, number: number))
    let tooDeep = nested(MessageDecodingError.nestingMax + 1, number: number)
    #expect(reason(tooDeep, as: FixtureV1.Tree.self)?.reason == .nestedTooDeeply)
    #expect(
      reason(nested(10_000, number: number), as: FixtureV1.Tree.self)
        == MessageDecodingError(.nestedTooDeeply, in: "fixture.v1.Tree")
    )
  }

  @Test("the limit counts from the outermost message")
  func limitsNestingWithinOthers() {
    let trees = nested(MessageDecodingError.nestingMax, number: 2)
    let forest = [0x0a] + varint(trees.count) + trees
    #expect(reason(forest, as: FixtureV1.Forest.self)?.reason == .nestedTooDeeply)
  }

  @Test("a message that needs more than the arena may hand out is refused")
  func limitsMemory() {
    // 2 bytes each for an empty message of more than 100 bytes in C.
    let bytes = [[UInt8]](repeating: [0x8a, 0x01, 0], count: 20_000).flatMap { $0 }
    let arena = Arena(capacityBytes: 1 << 16, firstChunkBytes: 1024)
    #expect(throws: MessageDecodingError(.arenaExhausted, in: "fixture.v1.Lists")) {
      try FixtureV1.Lists(decoding: bytes.span.bytes, in: arena)
    }
    arena.reset()
    #expect(throws: Never.self) {
      try FixtureV1.Lists(decoding: Array(bytes[..<300]).span.bytes, in: arena)
    }
  }

  @Test("every prefix of a message is decoded or refused")
  func survivesTruncation() {
    for bytes in Corpus.encoded {
      for count in bytes.indices { Corpus.decodeAsEverything(Array(bytes[..<count])) }
    }
    #expect(reason([0x72, 5, 0x61], as: FixtureV1.Scalars.self)?.reason == .malformed)
    #expect(reason([0x07], as: FixtureV1.Scalars.self)?.reason == .malformed)
  }

  @Test("random bytes are decoded or refused", arguments: [1, 2, 3, .random(in: 4 ... .max)])
  func survivesRandomBytes(seed: UInt64) {
    print("random bytes: seed \(seed)")
    var random = SplitMix64(seed: seed)
    for _ in 0..<2000 {
      let count = Int.random(in: 0..<64, using: &random)
      Corpus.decodeAsEverything((0..<count).map { _ in .random(in: 0 ... .max, using: &random) })
    }
  }

  @Test("damaged messages are decoded or refused", arguments: [1, 2, 3, .random(in: 4 ... .max)])
  func survivesDamage(seed: UInt64) {
    print("damaged messages: seed \(seed)")
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      for var bytes in Corpus.encoded where !bytes.isEmpty {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let index = bytes.indices.randomElement(using: &random) ?? 0
          bytes[index] = .random(in: 0 ... .max, using: &random)
        }
        Corpus.decodeAsEverything(bytes)
      }
    }
  }
}

/// Messages to damage, and what to read them as.
enum Corpus {
  static let encoded: [[UInt8]] =
    [
      Samples.scalars.encoded(), Samples.optionals.encoded(), Samples.lists.encoded(),
      Samples.maps.encoded(), Samples.keywords.encoded(), Samples.tree.encoded(),
    ] + Samples.choices.map { FixtureV1.Choices(picked: $0).encoded() }

  /// Decodes; what is understood is encoded and understood again.
  static func decodeAsEverything(_ bytes: [UInt8]) {
    decode(bytes, FixtureV1.Scalars.self)
    decode(bytes, FixtureV1.Optionals.self)
    decode(bytes, FixtureV1.Lists.self)
    decode(bytes, FixtureV1.Maps.self)
    decode(bytes, FixtureV1.Choices.self)
    decode(bytes, FixtureV1.Keywords.self)
    decode(bytes, FixtureV1.Tree.self)
    decode(bytes, TidingsV1.Record.self)
  }

  private static func decode<M: Message>(_ bytes: [UInt8], _ type: M.Type) {
    guard let message = try? M(decoding: bytes) else { return }
    let encoded = message.encoded()
    guard let again = try? M(decoding: encoded) else {
      Issue.record("\(M.messageName) cannot read its own bytes \(encoded), made from \(bytes)")
      return
    }
    // Bytes are compared, not values: NaN differs from itself.
    #expect(again.encoded() == encoded, "\(M.messageName) from \(bytes)")
  }
}
