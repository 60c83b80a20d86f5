import RandomSupport
import Testing
import TidingsModel

@Suite("Predicate meaning")
struct PredicateMeaningTests {
  private func record(_ fields: RecordFields) -> Record {
    Record(recordID: RecordID(recordName: "r1"), recordType: "T", fields: fields)
  }

  @Test(
    "compares numbers exactly",
    arguments: [
      ("a = 9007199254740992.0", FieldValue.int64(9_007_199_254_740_993), false),
      ("a > 9007199254740992.0", .int64(9_007_199_254_740_993), true),
      ("a = 9007199254740993", .double(9_007_199_254_740_992), false),
      ("a < 9223372036854775808.0", .int64(.max), true),
      ("a = 9223372036854775807", .double(0x1p63), false),
      ("a >= -9223372036854775808", .double(-0x1p63), true),
      ("a = 5", .double(5), true),
      ("a = 5.5", .int64(5), false),
      ("a < 5.5", .int64(5), true),
      ("a > -5.5", .int64(-5), true),
      ("a < -5.5", .int64(-6), true),
      ("a = 0", .double(-0.0), true),
    ]
  )
  func numbers(text: String, value: FieldValue, expected: Bool) throws {
    #expect(
      try Predicate(text: text).matches(RecordFields([.init(name: "a", value: value)])) == expected
    )
  }

  @Test("an absent field and another type make comparisons false and their NOT true")
  func absent() throws {
    for fields in [RecordFields(), ["a": .string("5")], ["a": .int64List([5])]] {
      for text in ["a = 5", "a < 9", "a >= 0", "a IN {5, 6}", "a BETWEEN {0, 9}", "a CONTAINS 6"] {
        #expect(try !Predicate(text: text).matches(fields), "\(text) for \(fields)")
        #expect(try Predicate(text: "NOT \(text)").matches(fields), "NOT \(text) for \(fields)")
      }
    }
    #expect(try !Predicate(text: "a = 5").matches(["a": .double(.nan)]))
    #expect(try !Predicate(text: "a IN {5, 6}").matches(["a": .double(.nan)]))
  }

  @Test("compares strings by code points, without normalizing")
  func strings() throws {
    let composed = try Predicate(text: "a = %@", arguments: [.string("é")])
    let decomposed = try Predicate(text: "a = %@", arguments: [.string("e\u{301}")])
    #expect(composed != decomposed)
    #expect(composed.matches(["a": .string("é")]))
    #expect(!composed.matches(["a": .string("e\u{301}")]))
    #expect(try Predicate(text: "a > 'z'").matches(["a": .string("é")]))
    #expect(try !Predicate(text: "a BEGINSWITH 'e'").matches(["a": .string("é")]))
    #expect(try Predicate(text: "a BEGINSWITH 'e'").matches(["a": .string("e\u{301}")]))
    #expect(try !Predicate(text: "a = 'A'").matches(["a": .string("a")]))
  }

  @Test("compares references without action and locations by coordinates")
  func structured() throws {
    let id = RecordID(recordName: "r")
    let predicate = try Predicate(text: "a = %@", arguments: [.reference(Reference(recordID: id))])
    #expect(predicate.matches(["a": .reference(Reference(recordID: id, action: .deleteSelf))]))
    var position = Location(latitude: 1, longitude: -0.0)
    position.altitude = 7
    #expect(try Predicate(text: "a = @location(1, 0)").matches(["a": .location(position)]))
    #expect(try Predicate(text: "a < <01>").matches(["a": .bytes([0, 255])]))
    let time = FieldValue.timestamp(Timestamp(millisecondsSince1970: -1))
    #expect(try Predicate(text: "a = @1969-12-31T23:59:59.999Z").matches(["a": time]))
  }

  @Test("knows a record's system fields")
  func systemFields() throws {
    var record = record([:])
    #expect(try Predicate(text: "recordName = 'r1'").matches(record))
    #expect(try !Predicate(text: "creationDate > @1970-01-01T00:00:00Z").matches(record))
    let modification = Record.ModificationInfo(
      timestamp: Timestamp(millisecondsSince1970: 5),
      caller: Caller(user: "u", device: "d")
    )
    record.created = modification
    record.modified = modification
    #expect(try Predicate(text: "creationDate > @1970-01-01T00:00:00Z").matches(record))
    #expect(try Predicate(text: "modificationDate = @1970-01-01T00:00:00.005Z").matches(record))
  }
}
