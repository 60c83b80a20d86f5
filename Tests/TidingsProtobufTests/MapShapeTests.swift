import GeneratedFixture
import RandomSupport
import Testing
import TidingsProto
import TidingsProtobuf
import TidingsWire

/// Records whose maps have the keys of those before, or almost; each must be what it is when decoded alone.
@Suite("Maps with the same keys")
struct MapShapeTests {
  /// Encoded records, each decoded alone, and all in one message.
  private func check(_ records: [[UInt8]], _ comment: Comment? = nil) throws {
    let alone = try records.map { try TidingsV1.Record(decoding: $0) }
    var page = WireWriter()
    for record in records { page.add(TidingsV1.ZoneChanges.FieldNumber.changedRecords, record) }
    let together = try TidingsV1.ZoneChanges(decoding: page.bytes)
    #expect(together.changedRecords == alone, comment)
  }

  private func value(_ text: String) -> [UInt8] {
    TidingsV1.FieldValue(value: .stringValue(text)).encoded()
  }

  private func entry(_ key: some Collection<UInt8>, _ value: [UInt8]) -> [UInt8] {
    var entry = WireWriter()
    entry.add(1, key)
    entry.add(2, value)
    return entry.bytes
  }

  private func record(_ entries: [[UInt8]]) -> [UInt8] {
    var record = WireWriter()
    for entry in entries { record.add(TidingsV1.Record.FieldNumber.fields, entry) }
    record.add(TidingsV1.Record.FieldNumber.changeTag, Array("tag".utf8))
    return record.bytes
  }

  private func record(_ keys: [String]) -> [UInt8] {
    record(keys.map { entry($0.utf8, value("value of \($0)")) })
  }

  @Test("values are those of each record, and records do not share them")
  func keepsValues() throws {
    let records = (0..<5).map { number in
      record(["a", "Straße", "c"].map { entry($0.utf8, value("\($0) \(number)")) })
    }
    try check(records)
  }

  @Test("keys that are missing, added, in another order or of another record type are noticed")
  func noticesOtherKeys() throws {
    let same = record(["a", "b", "c"])
    for other in [
      ["a", "b"], ["b", "c"], ["a", "b", "c", "d"], ["c", "b", "a"], ["a", "b", "C"], ["ab", "c"],
      [], ["x"],
    ] {
      try check([same, same, same, record(other), same, record(other), record(other), same])
    }
  }

  @Test("entries in other forms are read like those")
  func readsOtherForms() throws {
    let same = record(["a", "b"])
    var (valueFirst, unknown, split, onlyKey, onlyValue) =
      (WireWriter(), WireWriter(), WireWriter(), WireWriter(), WireWriter())
    valueFirst.add(2, value("first"))
    valueFirst.add(1, Array("a".utf8))
    unknown.bytes = entry("a".utf8, value("known"))
    unknown.add(9, varint: 1)
    split.bytes = entry("a".utf8, value("once"))
    split.add(2, value("twice"))
    onlyKey.add(1, Array("a".utf8))
    onlyValue.add(2, value("no key"))
    for other in [valueFirst, unknown, split, onlyKey, onlyValue, WireWriter()] {
      let record = record([other.bytes, entry("b".utf8, value("b"))])
      try check([same, same, same, record, record, record, same])
    }
    let twice = record(["a", "a"])
    try check([twice, twice, twice])
    let canonicallyEqual = record(["\u{e9}", "e\u{301}"])
    try check([canonicallyEqual, canonicallyEqual, canonicallyEqual])
    let inParts = record(["a"]) + record(["b"])
    try check([inParts, inParts, inParts])
  }

  @Test("large maps are read, whether or not they have a shape", arguments: [63, 64, 65, 200])
  func readsLargeMaps(count: Int) throws {
    let keys = (0..<count).map { "field\($0)" }
    try check([record(keys), record(keys), record(keys), record(keys.dropLast()), record(keys)])
  }

  @Test("bad bytes are refused as in the first record")
  func refusesBadBytes() {
    func error(_ records: [[UInt8]]) -> MessageDecodingError? {
      var page = WireWriter()
      for record in records { page.add(TidingsV1.ZoneChanges.FieldNumber.changedRecords, record) }
      do {
        _ = try TidingsV1.ZoneChanges(decoding: page.bytes)
        return nil
      } catch {
        return error
      }
    }
    let same = record(["a", "b"])
    #expect(error([same, same, same]) == nil)
    let badKey = record([entry("a".utf8, value("a")), entry([0xff], value("b"))])
    let badText = record([entry("a".utf8, [0x0a, 1, 0xff]), entry("b".utf8, value("b"))])
    let badValue = record([entry("a".utf8, [0x0a, 9, 0x61]), entry("b".utf8, value("b"))])
    // A number, whose bytes are like the tag of an entry.
    let number = [UInt8](arrayLiteral: 3 << 3, 3 << 3 | 2) + record(["a", "b"]).dropFirst()
    for bad in [badKey, badText, badValue, number] {
      let first = error([bad])
      #expect(first != nil)
      #expect(error([same, same, same, bad]) == first)
      #expect(error([bad, bad, bad]) == first)
    }
    #expect(error([badKey])?.reason == .invalidUTF8)
  }

  @Test("maps within maps, to the limit of nesting")
  func readsNestedMaps() throws {
    func makeTree(_ depth: Int) -> FixtureV1.Tree {
      guard depth > 1 else { return FixtureV1.Tree() }
      return FixtureV1.Tree(named: ["left": makeTree(depth - 1), "right": makeTree(depth - 1)])
    }
    let bushy = makeTree(6)
    #expect(try FixtureV1.Tree(decoding: bushy.encoded()) == bushy)
    var deep = FixtureV1.Tree()
    for _ in 0..<(MessageDecodingError.nestingMax / 2 - 1) {
      deep = FixtureV1.Tree(named: ["a": deep])
    }
    #expect(try FixtureV1.Tree(decoding: deep.encoded()) == deep)
    let tooDeep = FixtureV1.Tree(named: ["a": FixtureV1.Tree(named: ["a": deep])])
    #expect(throws: MessageDecodingError(.nestedTooDeeply, in: "fixture.v1.Tree")) {
      try FixtureV1.Tree(decoding: tooDeep.encoded())
    }
  }

  @Test("memory is charged alike")
  func chargesMemory() throws {
    let keys = ["a", "b", "c"]
    for sets in [[keys, keys, keys, keys], [keys, ["c", "a", "b"], keys, ["b", "c", "a"]]] {
      var page = WireWriter()
      for keys in sets { page.add(TidingsV1.ZoneChanges.FieldNumber.changedRecords, record(keys)) }
      let bytes = page.bytes
      // The least capacity with which it is decoded.
      let least = try #require(
        (1..<10_000).first { capacity in
          let arena = Arena(capacityBytes: capacity, firstChunkBytes: 1)
          return (try? TidingsV1.ZoneChanges(decoding: bytes.span.bytes, in: arena)) != nil
        }
      )
      #expect(least == chargedBytes(sets))
    }
  }

  private func chargedBytes(_ sets: [[String]]) -> Int {
    sets.reduce(0) { total, keys in
      // A message and a text beside what they have: 32 and 16 bytes.
      total + MemoryLayout<TidingsV1.Record>.stride + 32 + 16
        + keys.count * (32 + 16 + MemoryLayout<TidingsV1.FieldValue>.stride + 32 + 16)
    }
  }

  @Test("random records", arguments: [1, 2, 3, .random(in: 4 ... .max)])
  func agreesOnRandomRecords(seed: UInt64) throws {
    print("maps with the same keys: seed \(seed)")
    var random = SplitMix64(seed: seed)
    let names = ["a", "b", "name", "größe", "a name of more than fifteen bytes"]
    for _ in 0..<200 {
      let shapes = (0..<3).map { _ in
        names.shuffled(using: &random).prefix(.random(in: 0...names.count, using: &random))
      }
      let records = try (0..<12).map { _ in
        let shape = try #require(shapes.randomElement(using: &random))
        return record(
          shape.map { key in
            let count = Int.random(in: 0...20, using: &random)
            return entry(key.utf8, value(String(repeating: "é", count: count)))
          }
        )
      }
      try check(records, "seed \(seed)")
    }
  }
}
