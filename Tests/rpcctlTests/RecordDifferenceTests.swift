import Testing
import TidingsJSON
import TidingsProto

@testable import rpcctl

@Suite struct RecordDifferenceTests {
  private static func record(_ fields: [String: Int64?], type: String = "T") -> TidingsV1.Record {
    .init(
      recordID: .init(recordName: "a"),
      recordType: type,
      fields: fields.mapValues { .init(value: $0.map { .int64Value($0) }) }
    )
  }

  @Test("fields that a save would change; exact: also fields of the stored record only")
  func fields() {
    let stored = Self.record(["same": 1, "other": 2, "extra": 3, "gone": 4])
    let new = Self.record(["same": 1, "other": 5, "new": 6, "gone": nil, "never": nil])
    let difference = RecordDifference(new, stored: stored)
    #expect(difference.fields.map(\.name) == ["gone", "new", "other"])
    #expect(
      RecordDifference(new, stored: stored, isExact: true).fields.map(\.name).contains("extra")
    )
    #expect(RecordDifference(stored, stored: stored, isExact: true).isEmpty)
    #expect(
      difference.json.description == """
        {"recordName":"a","recordType":"T","fields":{"gone":{"stored":4},"new":{"new":6},\
        "other":{"new":5,"stored":2}}}
        """
    )
  }

  @Test("a new record, or one of another type, differs even without different fields")
  func whole() {
    #expect(RecordDifference(Self.record([:]), stored: nil).isNew)
    #expect(!RecordDifference(Self.record([:]), stored: nil).isEmpty)
    let other = RecordDifference(Self.record([:]), stored: Self.record([:], type: "U"))
    #expect(other.storedType == "U" && !other.isEmpty)
    #expect(other.rows == [["a", "(type)", "T", "U"]])
  }

  @Test("a copy writes differences, removes missing fields, and references its own zone")
  func copy() throws {
    let (notes, archive) = (
      TidingsV1.ZoneID(zoneName: "notes"), TidingsV1.ZoneID(zoneName: "archive")
    )
    func reference(_ zone: TidingsV1.ZoneID?) -> TidingsV1.FieldValue {
      .init(value: .referenceValue(.init(recordID: .init(recordName: "b", zoneID: zone))))
    }
    var original = Self.record(["a": 1, "b": 2])
    original.recordID?.zoneID = notes
    original.changeTag = "7"
    original.fields["inner"] = reference(notes)
    original.fields["outer"] = reference(nil)
    original.parent = .init(recordID: .init(recordName: "b", zoneID: notes))
    let copy = RecordCopy(of: original, in: archive)
    #expect(copy.record.changeTag.isEmpty && copy.record.recordID?.zoneID == archive)
    #expect(copy.record.fields["inner"] == reference(archive))
    #expect(copy.record.fields["outer"] == reference(nil))
    #expect(copy.record.parent?.recordID?.zoneID == archive)
    #expect(copy.change(of: copy.record) == nil)
    var stored = copy.record
    stored.fields["a"] = .init(value: .int64Value(9))
    stored.fields["extra"] = .init(value: .int64Value(1))
    stored.parent = nil
    let change = try #require(copy.change(of: stored))
    #expect(change.fields == ["a": .init(value: .int64Value(1)), "extra": .init()])
    #expect(change.parent == copy.record.parent)
    #expect(copy.change(of: nil)?.fields.count == 4)
  }

  @Test("an edited record: changed fields, removed ones as null, the original change tag")
  func edited() throws {
    let original = try #require(
      JSONValue(
        parsing:
          #"{"recordType":"T","recordName":"a","changeTag":"7","fields":{"a":1,"b":2,"c":3}}"#
      ).object
    )
    func change(_ fields: String, _ more: String = "") throws -> String? {
      let text = #"{"recordType":"T","recordName":"a","changeTag":"8","fields":\#(fields)\#(more)}"#
      let edited = try #require(JSONValue(parsing: text).object)
      return try RecordDraft.change(from: original, to: edited).map {
        JSONValue.object($0).description
      }
    }
    #expect(try change(#"{"c":3,"b":2,"a":1}"#) == nil)
    #expect(
      try change(#"{"a":1,"b":5,"d":6}"#)
        == #"{"recordType":"T","recordName":"a","changeTag":"7","fields":{"b":5,"d":6,"c":null}}"#
    )
    #expect(
      try change(#"{"a":1,"b":2,"c":3}"#, #","parent":"p""#)?.contains(#""parent":"p""#) == true
    )
    #expect(throws: (any Error).self) {
      try RecordDraft.change(from: original, to: ["recordName": .string("other")])
    }
  }
}
