internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsCodec
internal import TidingsModel

/// Fields that stay encoded mean the same as those that are read.
@Suite struct PackedFieldsTests {
  /// Fields that a codec read, and the same as a list.
  private struct Pair {
    let packed: RecordFields
    let list: RecordFields
  }

  private func value(_ random: inout SplitMix64) -> FieldValue {
    switch random.below(6) {
    case 0:
      .string(["", "a", "Straße", "e\u{301}", String(repeating: "x", count: 200)][random.below(5)])
    case 1: .int64([0, 1, -1, 127, 128, .min, .max][random.below(7)])
    case 2: .double([0, -0.0, 1.5, .greatestFiniteMagnitude][random.below(4)])
    case 3: .bytes(Array(repeating: 0xff, count: random.below(3) * 70))
    case 4:
      .timestamp(
        Timestamp(seconds: Int64(random.below(3)) - 1, nanoseconds: Int32(random.below(2)))
      )
    default: .timestamp(Timestamp(seconds: 1_763_000_000, nanoseconds: 999_999_999))
    }
  }

  private func list(_ random: inout SplitMix64) -> RecordFields {
    let names = ["a", "aa", "ab", "b", "B", "price", "pricey", "z_9"]
    return RecordFields(
      (0..<random.below(7)).map { _ in
        RecordFields.Field(name: names[random.below(names.count)], value: value(&random))
      }
    )
  }

  private func pair(_ random: inout SplitMix64) throws -> Pair {
    let list = list(&random)
    let record = Record(recordID: RecordID(recordName: "r"), recordType: "T", fields: list)
    let packed = try RecordWriter.encode(record).withUnsafeBytes {
      try PlainRecordReader.record($0).fields
    }
    #expect((packed.packed != nil) == (list.count > 0))
    return Pair(packed: packed, list: list)
  }

  private func encoded(_ fields: RecordFields) -> [UInt8] {
    RecordWriter.encode(
      Record(recordID: RecordID(recordName: "r"), recordType: "T", fields: fields)
    )
  }

  @Test("each field, and all of them, are read as from a list")
  func reading() throws {
    let seed = Seed.make("PackedFields")
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      let pair = try pair(&random)
      for name in ["", "a", "aa", "aaa", "ab", "b", "B", "price", "pric", "pricey", "z_9", "ä"] {
        #expect(pair.packed[name] == pair.list[name], "\(name), seed \(seed)")
      }
      #expect(pair.packed.count == pair.list.count)
      #expect(encoded(pair.packed) == encoded(pair.list), "seed \(seed)")
      #expect(pair.packed == pair.list && pair.packed.hashValue == pair.list.hashValue)
      #expect(pair.packed.sorted == pair.list.sorted, "seed \(seed)")
      #expect(pair.packed.isIdentical(to: pair.list), "seed \(seed)")
    }
  }

  @Test("a save's changes are applied alike, whichever of both is encoded")
  func applying() throws {
    let seed = Seed.make("PackedFieldsApplying")
    var random = SplitMix64(seed: seed)
    var packedCount = 0
    for _ in 0..<2_000 {
      let (old, new) = (try pair(&random), try pair(&random))
      let expected = old.list.applying(new.list)
      for merged in [
        old.packed.applying(new.packed), old.packed.applying(new.list),
        old.list.applying(new.packed),
      ] {
        #expect(merged == expected, "seed \(seed)")
        #expect(merged.count == expected.count, "seed \(seed)")
        #expect(encoded(merged) == encoded(expected), "seed \(seed)")
      }
      if old.packed.applying(new.packed).packed != nil { packedCount += 1 }
    }
    #expect(packedCount > 1_000, "hardly any stays encoded: \(packedCount)")
  }

  @Test("fields that are changed are no longer those that came")
  func changing() throws {
    let seed = Seed.make("PackedFieldsChanging")
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let pair = try pair(&random)
      var (packed, list) = (pair.packed, pair.list)
      for name in ["a", "m", "z_9"] {
        let value = random.below(3) == 0 ? nil : value(&random)
        packed[name] = value
        list[name] = value
        #expect(packed == list && encoded(packed) == encoded(list), "seed \(seed)")
      }
      #expect(pair.packed == pair.list, "the original changed, seed \(seed)")
    }
  }

  @Test("what is not written so, or not of the common kinds, is read and written again")
  func refusals() throws {
    let plain = Record(
      recordID: RecordID(recordName: "r"),
      recordType: "T",
      fields: ["a": .int64(1), "b": .string("x")]
    )
    func isPacked(_ bytes: [UInt8]) throws -> Bool {
      try bytes.withUnsafeBytes { try PlainRecordReader.record($0).fields.packed != nil }
    }
    #expect(try isPacked(RecordWriter.encode(plain)))
    for value: FieldValue in [
      .double(.nan), .double(.infinity), .stringList(["x"]), .asset(Asset(checksum: [], size: 0)),
      .reference(Reference(recordID: RecordID(recordName: "x"))),
    ] {
      var record = plain
      record.fields["c"] = value
      #expect(try !isPacked(RecordWriter.encode(record)), "\(value)")
    }
    func field(_ name: String, _ value: [UInt8]) -> WireBytes {
      WireBytes().field(1, name).field(2, value)
    }
    let one: [UInt8] = [0x10, 0x01]
    // The order of names, a number with a byte too many, a name that is not in ASCII, a field twice.
    let long: [UInt8] = [0x10, 0x81, 0x00]
    for fields in [
      [field("b", one), field("a", one)], [field("a", long)], [field("ä", one)],
      [field("a", one), field("a", one)],
    ] {
      let record = fields.reduce(WireBytes().field(2, "T")) { $0.field(3, $1) }
      #expect(try !isPacked(record.bytes))
    }
  }
}
