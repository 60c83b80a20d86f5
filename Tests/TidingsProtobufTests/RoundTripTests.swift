import GeneratedFixture
import Testing
import TidingsProto
import TidingsProtobuf

@Suite("Encoding and decoding")
struct RoundTripTests {
  private func expectRoundTrip(
    _ message: some Message,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    func decoded<M: Message>(as message: M) throws -> M { try M(decoding: message.encoded()) }
    #expect(try decoded(as: message) == message, sourceLocation: location)
  }

  @Test("every kind of field keeps its value")
  func keepsValues() throws {
    try expectRoundTrip(Samples.scalars)
    try expectRoundTrip(Samples.lists)
    try expectRoundTrip(Samples.maps)
    try expectRoundTrip(Samples.keywords)
    try expectRoundTrip(Samples.tree)
    try expectRoundTrip(FixtureV1.Forest(trees: [Samples.tree], leaf: .init(tree: Samples.tree)))
    try expectRoundTrip(FixtureV1.Message(string: .init(value: "s", type: .init(number: 1))))
    try expectRoundTrip(FixtureGlobal(text: "t", kind: .one))
    try expectRoundTrip(FixtureV1.Empty())
  }

  @Test("every member of a oneof keeps its value, defaults too", arguments: Samples.choices)
  func keepsChoices(picked: FixtureV1.Choices.PickedOneOf) throws {
    for other in [nil, .first(0), .second(.max)] as [FixtureV1.Choices.OtherChoice?] {
      try expectRoundTrip(
        FixtureV1.Choices(picked: picked, mode: .fast, otherChoice: other, lists: Samples.lists)
      )
    }
  }

  @Test("presence of a default value is kept, and so is absence")
  func keepsPresence() throws {
    try expectRoundTrip(Samples.optionals)
    try expectRoundTrip(FixtureV1.Optionals())
    #expect(FixtureV1.Optionals().encoded().isEmpty)
    let text = FixtureV1.Optionals(stringValue: "")
    #expect(text.encoded() == [0x72, 0])
  }

  @Test("defaults are not encoded")
  func omitsDefaults() throws {
    #expect(FixtureV1.Scalars().encoded().isEmpty)
    #expect(FixtureV1.Lists().encoded().isEmpty)
    #expect(FixtureV1.Maps().encoded().isEmpty)
    #expect(try FixtureV1.Scalars(decoding: []) == FixtureV1.Scalars())
  }

  @Test("the bytes are protoc's")
  func agreesWithProtoc() throws {
    // protoc --encode=fixture.v1.Scalars, 3.21.12
    let scalars = bytes(
      """
      09000000000000f83f15000080be18ffffffffffffffffff01208080808080808080800128ffffff\
      ff0f30ffffffffffffffffff01380340054d070000005108000000000000005df7ffffff61f6ffff\
      ffffffffff680172046100c3a47a0200ff8001ffffffffffffffffff018a010408051006
      """
    )
    #expect(Samples.scalars.encoded() == scalars)
    #expect(try FixtureV1.Scalars(decoding: scalars) == Samples.scalars)
    // protoc --encode=fixture.v1.Maps, 3.21.12; it writes defaults in entries, which mean the same.
    let maps = bytes(
      """
      0a090a001205656d7074790a060a01611201310a050a016212000a070a02c3a4120178120f08ffff\
      ffffffffffffff01120218031a0508051201012204080110012a0b080211000000000000e03f3204\
      080510013a070807150000803f42100d0500000010fbffffffffffffffff014a0b09060000000000\
      0000104252090df9ffffff120208015a0c09f8ffffffffffffff10af016206080012026e6f620708\
      011203796573
      """
    )
    #expect(try FixtureV1.Maps(decoding: maps) == Samples.maps)
  }

  @Test("equal messages have equal bytes, whatever the order of insertion")
  func encodesMapsSorted() {
    var forwards = FixtureV1.Maps()
    var backwards = FixtureV1.Maps()
    for index in 0..<100 { forwards.byString["key \(index)"] = "\(index)" }
    for index in (0..<100).reversed() { backwards.byString["key \(index)"] = "\(index)" }
    #expect(forwards.encoded() == backwards.encoded())
    let keys: FixtureV1.Maps = .init(byString: ["b": "", "": "", "ab": "", "a": ""])
    #expect(
      keys.encoded() == [
        0x0a, 0, 0x0a, 3, 0x0a, 1, 0x61, 0x0a, 4, 0x0a, 2, 0x61, 0x62, 0x0a, 3, 0x0a, 1, 0x62,
      ]
    )
  }

  @Test("maps are encoded in the order of their keys' bytes")
  func sortsKeys() throws {
    let keys = [
      "", "\u{0}", "\u{0}\u{0}", "a", "a\u{0}", "ab", "abcdefg", "abcdefgh", "abcdefgh\u{0}",
      "abcdefghi", "abcdefghj", "b", "é", "\u{ffff}", "\u{10000}",
    ]
    for keys in [keys, keys.reversed(), keys.shuffled()] {
      let map = Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) })
      let order = map.encodingOrder.map { Array(map[$0].key.utf8) }
      #expect(order == order.sorted { $0.lexicographicallyPrecedes($1) })
      #expect(order.count == keys.count)
    }
  }

  @Test("a number that an enum does not have is kept")
  func keepsUnknownEnumValues() throws {
    for number in [99, .min, .max] as [Int32] {
      let color = FixtureV1.Color(rawValue: number)
      let message = FixtureV1.Scalars(color: color)
      #expect(try FixtureV1.Scalars(decoding: message.encoded()).color == color)
      #expect(color.description == "\(number)")
      try expectRoundTrip(FixtureV1.Lists(colors: [color, .red]))
      try expectRoundTrip(FixtureV1.Maps(byUint32: [1: color]))
    }
    #expect(FixtureV1.Color.infrared.description == "COLOR_INFRARED")
    #expect(FixtureV1.Color.allCases.map(\.rawValue) == [0, 1, 2, -1])
    #expect(FixtureV1.ShadeID.gray == .grey)
  }

  @Test("U+0000 within strings and keys is kept")
  func keepsNul() throws {
    try expectRoundTrip(FixtureV1.Scalars(stringValue: "\0"))
    try expectRoundTrip(FixtureV1.Lists(strings: ["a\0b", "\0\0"]))
    try expectRoundTrip(FixtureV1.Maps(byString: ["a\0": "\0b", "a": "c"]))
    try expectRoundTrip(FixtureV1.Optionals(stringValue: "\0"))
    try expectRoundTrip(FixtureV1.Choices(picked: .text("\0")))
  }

  @Test("a negative zero is kept where presence is")
  func keepsNegativeZero() throws {
    let present = FixtureV1.Optionals(doubleValue: -0.0)
    let decoded = try FixtureV1.Optionals(decoding: present.encoded())
    #expect(decoded.doubleValue?.sign == .minus)
    #expect(FixtureV1.Scalars(doubleValue: -0.0).encoded().isEmpty)
  }

  @Test("unknown fields are skipped")
  func skipsUnknownFields() throws {
    let unknown: [UInt8] = [0xf8, 0x07, 1, 0xfa, 0x07, 2, 0, 0]
    let decoded = try FixtureV1.Scalars(decoding: unknown + Samples.scalars.encoded() + unknown)
    #expect(decoded == Samples.scalars)
  }

  @Test("packed and unpacked lists are both understood, and the last of a singular field wins")
  func followsDecodingRules() throws {
    // int32s: 1 unpacked, [2, 3] packed.
    #expect(
      try FixtureV1.Lists(decoding: [0x18, 1, 0x1a, 2, 2, 3]) == FixtureV1.Lists(int32s: [1, 2, 3])
    )
    #expect(
      try FixtureV1.Scalars(decoding: [0x18, 1, 0x18, 2]) == FixtureV1.Scalars(int32Value: 2)
    )
    // A oneof's members: number 1, then text "a".
    #expect(
      try FixtureV1.Choices(decoding: [0x08, 1, 0x12, 1, 0x61])
        == FixtureV1.Choices(picked: .text("a"))
    )
  }

  @Test("many messages share an arena")
  func reusesArena() throws {
    let arena = Arena(firstChunkBytes: 256)
    for _ in 0..<100 {
      let bytes = Samples.lists.encoded(in: arena)
      #expect(try FixtureV1.Lists(decoding: bytes.span.bytes, in: arena) == Samples.lists)
      arena.reset()
    }
  }

  private func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
  }
}
