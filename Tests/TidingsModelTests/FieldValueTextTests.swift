internal import Testing

@testable internal import TidingsModel

@Suite struct FieldValueTextTests {
  private func text(_ value: FieldValue, _ characters: Int = 100, bytes: Int = 400) -> String {
    value.text(characters: characters, bytes: bytes)
  }

  @Test("each type has a text")
  func types() {
    let time = Timestamp(millisecondsSince1970: 1_500)
    let target = Reference(recordID: RecordID(recordName: "other"))
    let position = Location(latitude: 59.5, longitude: -10)
    let file = Asset(checksum: [UInt8](repeating: 1, count: 32), size: 12)
    for (value, expected) in [
      (.string("Åsa"), "Åsa"), (.int64(.min), "-9223372036854775808"), (.double(2), "2"),
      (.double(2.5), "2.5"), (.double(1e300), "1e+300"), (.double(-0.0), "0"),
      (.bytes([1, 2]), "2 bytes"), (.timestamp(time), "1970-01-01T00:00:01.500Z"),
      (.location(position), "59.5, -10.0"), (.reference(target), "other"),
      (.asset(file), "12 bytes"),
      (.stringList(["a", "", "b"]), "a, , b"), (.int64List([1, 2]), "1, 2"),
      (.doubleList([1, 0.5]), "1, 0.5"), (.bytesList([[1], []]), "1 bytes, 0 bytes"),
      (.timestampList([time]), "1970-01-01T00:00:01.500Z"),
      (.locationList([position]), "59.5, -10.0"),
      (.referenceList([target, target]), "other, other"), (.assetList([file]), "12 bytes"),
      (.unknownList, ""),
    ] as [(FieldValue, String)] {
      #expect(text(value) == expected)
    }
  }

  @Test("texts are cut to whole characters, by number and by bytes")
  func cuts() {
    let family = "👩‍👩‍👧"
    #expect(text(.string(String(repeating: "é", count: 101))).count == 100)
    #expect(text(.string("abc"), 2) == "ab")
    #expect(text(.string(family + family), 1) == family)
    #expect(text(.string("a" + family), bytes: 5) == "a")
    #expect(text(.string("a" + String(repeating: "\u{301}", count: 10_000))) == "")
    #expect(text(.int64List(Array(repeating: 7, count: 100_000))).count == 100)
    #expect(text(.stringList(Array(repeating: "", count: 100_000))).count == 100)
  }

  @Test("values are the same only to the byte")
  func identity() {
    let fields: RecordFields = ["a": .string("é"), "b": .double(0)]
    #expect(fields.isIdentical(to: ["a": .string("é"), "b": .double(0)]))
    #expect(!fields.isIdentical(to: ["a": .string("e\u{301}"), "b": .double(0)]))
    #expect(!fields.isIdentical(to: ["a": .string("é"), "b": .double(-0.0)]))
    #expect(!fields.isIdentical(to: ["a": .string("é")]))
    #expect(!fields.isIdentical(to: ["a": .string("é"), "c": .double(0)]))
    #expect(!FieldValue.stringList(["é"]).isIdentical(to: .stringList(["e\u{301}"])))
    #expect(!FieldValue.doubleList([0]).isIdentical(to: .doubleList([-0.0])))
  }
}
