import Testing
import TidingsModel

@Suite("Validation")
struct ValidationTests {
  private func record(
    _ name: String = "r",
    type: String = "T",
    zone: ZoneID = .default,
    fields: RecordFields = [:]
  ) -> Record {
    Record(recordID: RecordID(recordName: name, zoneID: zone), recordType: type, fields: fields)
  }

  @Test("good records pass")
  func good() throws {
    let long = String(repeating: "x", count: 255)
    var record = record(
      long,
      type: long,
      zone: ZoneID(zoneName: "my zone"),
      fields: [
        long: .double(1), "place": .location(Location(latitude: -90, longitude: 180)),
        "time": .timestamp(Timestamp.validRange.upperBound), "list": .doubleList([1, 2]),
        "user": .reference(Reference(recordID: RecordID(recordName: "_u"))), "none": .unknownList,
      ]
    )
    record.fields = record.fields.applying(RecordFields([.init(name: "gone", value: nil)]))
    try record.validate()
    try DatabaseID(container: "a.b-c_1", environment: .production, scope: .public, owner: "")
      .validate()
  }

  @Test("bad records are refused by name, limit and remedy")
  func bad() throws {
    let long = String(repeating: "x", count: 256)
    var nowhere = Location(latitude: 1, longitude: 1)
    nowhere.speed = .infinity
    var orphan = record()
    orphan.parent = Reference(
      recordID: RecordID(recordName: "p", zoneID: ZoneID(zoneName: "other"))
    )
    let wrong: [(Record, String)] = [
      (record(""), "1 to 255"), (record(long), "256 bytes"), (record("_a"), "'_'"),
      (record("ä"), "printable ASCII"), (record("a\n"), "'a?'"),
      (record(type: "1a"), "record type '1a'"), (record(type: ""), "record type is empty"),
      (record(zone: ZoneID(zoneName: "_zone")), "zone name '_zone'"),
      (record(fields: ["a b": .int64(1)]), "field name 'a b'"),
      (record(fields: ["recordName": .int64(1)]), "field name 'recordName'"),
      (record(fields: ["a": .double(.nan)]), "field 'a': nan is not a finite number"),
      (record(fields: ["a": .doubleList([1, .infinity])]), "field 'a': member 1: inf"),
      (record(fields: ["a": .location(Location(latitude: 90.1, longitude: 0))]), "-90 to 90"),
      (record(fields: ["a": .location(Location(latitude: .nan, longitude: 0))]), "latitude nan"),
      (record(fields: ["a": .location(Location(latitude: 0, longitude: 181))]), "-180 to 180"),
      (record(fields: ["a": .location(nowhere)]), "member of the location"),
      (record(fields: ["a": .timestamp(Timestamp(millisecondsSince1970: .max))]), "9999-12-31"),
      (record(fields: ["a": .asset(Asset(checksum: [1], size: 1))]), "checksum has 1 bytes"),
      (
        record(fields: ["a": .reference(Reference(recordID: RecordID(recordName: "")))]),
        "reference"
      ),
      (orphan, "the parent to 'p' is in the zone 'other'"),
    ]
    for (record, part) in wrong {
      let error = try #require(throws: ItemError.self) { try record.validate() }
      #expect(error.code == .invalidArguments)
      #expect(error.message.contains(part), "\(error)")
    }
  }

  @Test("bad databases are refused")
  func databases() throws {
    for container in ["", "a b", "ä", String(repeating: "x", count: 256)] {
      let database = DatabaseID(
        container: container,
        environment: .development,
        scope: .public,
        owner: ""
      )
      let error = try #require(throws: ItemError.self) { try database.validate() }
      #expect(error.code == .badContainer)
    }
    let nobody = DatabaseID(container: "c", environment: .development, scope: .private, owner: "")
    let error = try #require(throws: ItemError.self) { try nobody.validate() }
    #expect(error.code == .badDatabase)
  }
}
