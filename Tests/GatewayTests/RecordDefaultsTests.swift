internal import TestSupport
internal import Testing
internal import TidingsJSON

/// What requests leave out, and what they cannot have.
@Suite(.endsServers) struct RecordDefaultsTests {
  private func code(_ answer: HTTPAnswer) -> String? {
    answer.code ?? answer.records.first?["serverErrorCode"]?.string
  }

  private func query(
    _ world: GatewayWorld,
    _ members: String,
    in database: String = "private",
    as user: String = "ada"
  ) throws -> HTTPAnswer {
    try world.post("\(database)/records/query", text: "{\(members)}", as: user)
  }

  private func makeZone(_ world: GatewayWorld) throws {
    let zone = #"{"operationType": "create", "zone": {"zoneID": {"zoneName": "z"}}}"#
    let made = try world.post("private/zones/modify", text: #"{"operations": [\#(zone)]}"#)
    #expect(made.items("zones").first?["syncToken"] != nil, "\(made.text)")
  }

  @Test("a marker that is damaged, or of another query, database or user, is an error")
  func markers() async throws {
    let world = try await GatewayWorld.start()
    for name in ["a", "b", "c"] {
      _ = try world.modify("create", #"{"recordName": "\#(name)", "recordType": "T"}"#)
    }
    _ = try world.modify("create", #"{"recordName": "a", "recordType": "Other"}"#, as: "bob")
    let query = #""query": {"recordType": "T"}"#
    let first = try self.query(world, query + #", "resultsLimit": 1"#)
    let marker = try #require(first.json?.object?["continuationMarker"]?.string)
    let last = #", "continuationMarker": "\#(marker)""#
    let second = try self.query(world, query + last + #", "desiredKeys": []"#)
    #expect(second.records.map { $0["recordName"] } == ["b", "c"], "\(second.text)")
    var damaged = Array(marker)
    damaged[damaged.count / 2] = damaged[damaged.count / 2] == "A" ? "B" : "A"
    for answer in [
      try self.query(world, query + #", "continuationMarker": "AAAA""#),
      try self.query(world, query + #", "continuationMarker": "\#(String(damaged))""#),
      try self.query(world, query + last, as: "bob"),
      try self.query(world, query + last, in: "public"),
      try self.query(world, query + last + #", "zoneWide": true"#),
      try self.query(world, #""query": {"recordType": "Other"}"# + last),
    ] { #expect(answer.status == 400 && answer.code == "BAD_REQUEST", "\(answer.text)") }
  }

  @Test("parents and references without a zone are of the record's own")
  func zones() async throws {
    let world = try await GatewayWorld.start()
    try makeZone(world)
    let zone = #""zoneID": {"zoneName": "z"}"#
    _ = try world.modify("create", #"{"recordName": "root", "recordType": "T", \#(zone)}"#)
    for (name, members) in [
      ("child", #""parent": {"recordName": "root"}"#),
      ("bound", #""fields": {"to": {"value": {"recordName": "root", "action": "DELETE_SELF"}}}"#),
      ("loose", #""fields": {"to": {"value": {"recordName": "root"}}}"#),
      ("list", #""fields": {"all": {"value": [{"recordName": "root"}]}}"#),
    ] {
      let record = #"{"recordName": "\#(name)", "recordType": "T", \#(zone), \#(members)}"#
      let saved = try world.modify("create", record)
      #expect(saved.records.first?["serverErrorCode"] == nil, "\(name): \(saved.text)")
    }
    let elsewhere =
      #"{"recordName": "r", "recordType": "T", \#(zone), "parent": {"recordName": "root", "zoneID": {"zoneName": "_defaultZone"}}}"#
    #expect(code(try world.modify("create", elsewhere)) == "BAD_REQUEST")
    let value = #""fieldValue": {"value": {"recordName": "root"}}"#
    let filter = #"{"fieldName": "to", "comparator": "EQUALS", \#(value)}"#
    let found = try query(
      world,
      #""query": {"recordType": "T", "filterBy": [\#(filter)]}, \#(zone)"#
    )
    #expect(
      Set(found.records.compactMap { $0["recordName"]?.string }) == ["bound", "loose"],
      "\(found.text)"
    )
    let share = #"{"recordType": "cloudkit.share", "forRecord": {"recordName": "root", \#(zone)}}"#
    let shared = try world.modify("create", share)
    #expect(shared.records.first?["zoneID"]?.object?["zoneName"] == "z", "\(shared.text)")
    let away =
      #"{"recordType": "cloudkit.share", "zoneID": {"zoneName": "_defaultZone"}, "forRecord": {"recordName": "root", \#(zone)}}"#
    #expect(try world.modify("create", away).text.contains("forRecord.zoneID is 'z'"))
  }

  @Test("a record that is stored has its type")
  func types() async throws {
    let world = try await GatewayWorld.start()
    _ = try world.modify("create", #"{"recordName": "a", "recordType": "T"}"#)
    for (type, count) in [("forceUpdate", 1), ("update", 2), ("replace", 3), ("forceReplace", 4)] {
      let stored = try world.post(
        "private/records/lookup",
        text: #"{"records": [{"recordName": "a"}]}"#
      )
      let tag = try #require(stored.records.first?["recordChangeTag"]?.string)
      let sentTag = type.hasPrefix("force") ? "" : #""recordChangeTag": "\#(tag)", "#
      let record = #"{"recordName": "a", \#(sentTag)"fields": {"n": {"value": \#(count)}}}"#
      let saved = try world.modify(type, record)
      #expect(saved.records.first?["recordType"] == "T", "\(type): \(saved.text)")
      let field = saved.records.first?["fields"]?.object?["n"]?.object
      #expect(field?["value"] == .integer(count), "\(type): \(saved.text)")
    }
    let gone = try world.modify("update", #"{"recordName": "b", "recordChangeTag": "1"}"#)
    #expect(code(gone) == "NOT_FOUND", "\(gone.text)")
    for type in ["create", "forceUpdate", "forceReplace"] {
      let new = try world.modify(type, #"{"recordName": "b"}"#)
      #expect(code(new) == "BAD_REQUEST" && new.text.contains("recordType"), "\(new.text)")
    }
  }

  @Test("what is wrong with a record of a new type is no type that was not found")
  func newTypes() async throws {
    let world = try await GatewayWorld.start()
    for (type, fields, part) in [
      ("New", #"{"1x": {"value": 1}}"#, "'1x'"), ("N w", "{}", "'N w'"),
      ("New", #"{"x": {"value": {"latitude": 100, "longitude": 0}}}"#, "latitude 100"),
      (
        "New", #"{"x": {"value": 1e400, "type": "DOUBLE"}}"#,
        "fields.x.value is 1e400, not a number that"
      ),
      (
        "New", #"{"x": {"value": 2.5, "type": "INT64"}}"#,
        "fields.x.value is 2.5, not a whole number"
      ),
      (
        "New", #"{"x": {"value": 1e18, "type": "TIMESTAMP"}}"#, "fields.x.value is 1e18, not a time"
      ),
    ] {
      let record = #"{"recordName": "a", "recordType": "\#(type)", "fields": \#(fields)}"#
      let answer = try world.modify("create", record)
      #expect(code(answer) == "BAD_REQUEST" && answer.text.contains(part), "\(answer.text)")
      #expect(!answer.text.contains("Did not find"), "\(answer.text)")
    }
    let filter =
      #"{"fieldName": "1x", "comparator": "EQUALS", "fieldValue": {"value": 1, "type": "INT64"}}"#
    let answer = try query(world, #""query": {"recordType": "New", "filterBy": [\#(filter)]}"#)
    #expect(answer.code == "BAD_REQUEST" && answer.text.contains("1x"), "\(answer.text)")
  }
}
