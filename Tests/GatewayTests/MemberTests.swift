internal import TestSupport
internal import Testing
internal import TidingsJSON

/// Members of requests that promise something.
@Suite(.endsServers) struct MemberTests {
  /// Requests with a member that is not known, and where it is.
  private static let unknown: [(endpoint: String, body: String, path: String)] = [
    ("records/query", #"{"query": {"recordType": "T"}, "sortBy": []}"#, "sortBy"),
    ("records/query", #"{"query": {"recordType": "T", "filter": []}}"#, "query.filter"),
    (
      "records/query",
      #"{"query": {"recordType": "T", "filterBy": [{"fieldName": "n", "comparator": "EQUALS", "fieldValue": {"value": 1}, "ignoreCase": true}]}}"#,
      "query.filterBy[0].ignoreCase"
    ),
    (
      "records/query",
      #"{"query": {"recordType": "T", "sortBy": [{"fieldName": "n", "descending": true}]}}"#,
      "query.sortBy[0].descending"
    ),
    ("records/lookup", #"{"records": [{"recordName": "a", "field": 1}]}"#, "records[0].field"),
    ("records/modify", #"{"operations": [], "dryRun": true}"#, "dryRun"),
    (
      "records/modify",
      #"{"operations": [{"operationType": "create", "savePolicy": 1, "record": {"recordType": "T"}}]}"#,
      "operations[0].savePolicy"
    ),
    (
      "records/modify",
      #"{"operations": [{"operationType": "create", "record": {"recordType": "T", "encryptedValues": {}}}]}"#,
      "operations[0].record.encryptedValues"
    ),
    (
      "records/modify",
      #"{"operations": [{"operationType": "create", "record": {"recordType": "T", "publicPermission": "READ_ONLY"}}]}"#,
      "operations[0].record.publicPermission"
    ),
    (
      "records/modify",
      #"{"operations": [{"operationType": "create", "record": {"recordType": "T", "fields": {"n": {"value": 1, "isUnique": true}}}}]}"#,
      "operations[0].record.fields.n.isUnique"
    ),
    (
      "records/modify",
      #"{"operations": [{"operationType": "create", "record": {"recordType": "T", "fields": {"n": {"value": {"recordName": "a", "onDelete": 1}}}}}]}"#,
      "operations[0].record.fields.n.value.onDelete"
    ),
    (
      "records/modify",
      #"{"operations": [{"operationType": "create", "record": {"recordType": "cloudkit.share", "forRecord": {"recordName": "a"}, "password": "x"}}]}"#,
      "operations[0].record.password"
    ),
    ("records/changes", #"{"zoneID": {"zoneName": "z"}, "reverse": true}"#, "reverse"),
    ("changes/zone", #"{"zones": [{"zoneID": {"zoneName": "z"}, "since": 1}]}"#, "zones[0].since"),
    (
      "changes/zone", #"{"zones": [{"zoneID": {"zoneName": "z", "owner": "bob"}}]}"#,
      "zones[0].zoneID.owner"
    ),
    ("changes/database", #"{"metaSyncToken": "AAAA"}"#, "metaSyncToken"),
    ("zones/changes", #"{"since": "AAAA"}"#, "since"),
    ("zones/list", #"{"resultsLimit": 1}"#, "resultsLimit"),
    (
      "zones/modify",
      #"{"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "z"}, "ttl": 1}}]}"#,
      "operations[0].zone.ttl"
    ),
    (
      "subscriptions/modify",
      #"{"operations": [{"operationType": "create", "subscription": {"subscriptionType": "database", "expires": 1}}]}"#,
      "operations[0].subscription.expires"
    ),
    (
      "subscriptions/modify",
      #"{"operations": [{"operationType": "create", "subscription": {"subscriptionType": "database", "notificationInfo": {"sound": "x"}}}]}"#,
      "operations[0].subscription.notificationInfo.sound"
    ),
    ("users/discover", #"{"lookupInfos": [{"name": "ada"}]}"#, "lookupInfos[0].name"),
    (
      "assets/upload", #"{"tokens": [{"fieldName": "f", "isEncrypted": true}]}"#,
      "tokens[0].isEncrypted"
    ),
    (
      "records/resolve", #"{"shortGUIDs": [{"value": "x", "password": "y"}]}"#,
      "shortGUIDs[0].password"
    ),
    ("tokens/create", #"{"apnsEnvironment": "development", "topic": "x"}"#, "topic"),
  ]

  @Test("a member that is not known is refused by its name, wherever it is")
  func unknown() async throws {
    let world = try await GatewayWorld.start()
    for (endpoint, body, path) in Self.unknown {
      let answer = try world.post("private/\(endpoint)", text: body)
      #expect(answer.status == 400 && answer.code == "BAD_REQUEST", "\(endpoint): \(answer.text)")
      let reason = answer.json?.object?["reason"]?.string ?? ""
      #expect(reason.hasPrefix("\(path) is not known"), "\(endpoint): \(reason)")
    }
  }

  @Test("a value that is to be encrypted is refused, and the schema does not learn its field")
  func encryption() async throws {
    let world = try await GatewayWorld.start()
    let field = #"{"value": "secret", "type": "STRING", "isEncrypted": true}"#
    func save(_ field: String) throws -> HTTPAnswer {
      try world.modify("create", #"{"recordType": "Notes", "fields": {"text": \#(field)}}"#)
    }
    let refused = try save(field)
    #expect(refused.status == 400 && refused.code == "BAD_REQUEST", "\(refused.text)")
    #expect(refused.text.contains("operations[0].record.fields.text.isEncrypted"))
    let filter = #"{"fieldName": "text", "comparator": "EQUALS", "fieldValue": \#(field)}"#
    let query = try world.post(
      "private/records/query",
      text: #"{"query": {"recordType": "Notes", "filterBy": [\#(filter)]}}"#
    )
    #expect(query.status == 400 && query.text.contains("query.filterBy[0].fieldValue.isEncrypted"))
    let all = #"{"query": {"recordType": "Notes"}}"#
    let unknown = try world.post("private/records/query", text: all)
    #expect(unknown.text.contains("Did not find record type: Notes"), "\(unknown.text)")
    let open = try save(#"{"value": "open", "type": "STRING", "isEncrypted": false}"#)
    #expect(open.records.first?["fields"] != nil, "\(open.text)")
  }

  @Test("a record, a zone and a subscription can be sent back as they were answered")
  func whole() async throws {
    let world = try await GatewayWorld.start()
    func text(_ object: JSONObject?) throws -> String {
      String(decoding: JSONValue.object(try #require(object)).text(), as: UTF8.self)
    }
    let record = #"{"recordName": "a", "recordType": "Notes", "fields": {"n": {"value": 1}}}"#
    let whole = try text(try world.modify("create", record).records.first)
    for type in ["update", "replace", "delete"] {
      let stored = try world.post("private/records/lookup", text: #"{"records": [\#(whole)]}"#)
      let answer = try world.modify(type, try text(stored.records.first))
      #expect(answer.records.first?["deleted"] == .bool(type == "delete"), "\(answer.text)")
    }
    func make(_ zone: String) throws -> JSONObject? {
      try world.post(
        "private/zones/modify",
        text: #"{"operations": [{"operationType": "create", "zone": \#(zone)}]}"#
      ).items("zones").first
    }
    let zone = try text(try make(#"{"zoneID": {"zoneName": "z"}}"#))
    #expect(try make(zone)?["atomic"] == .bool(true))
    func subscribe(_ subscription: String) throws -> HTTPAnswer {
      try world.post(
        "private/subscriptions/modify",
        text: #"{"operations": [{"operationType": "update", "subscription": \#(subscription)}]}"#
      )
    }
    let start = #"{"subscriptionID": "s", "subscriptionType": "zone", "zoneID": {"zoneName": "z"}"#
    let kept = try subscribe(start + #", "firesOn": ["create", "update", "delete"]}"#)
    let again = try subscribe(try text(kept.items("subscriptions").first))
    #expect(again.json == kept.json, "\(again.text)")
    let some = try subscribe(start + #", "firesOn": ["create"]}"#)
    #expect(some.status == 400 && some.text.contains("firesOn"), "\(some.text)")
  }

  @Test("the fields that notifications carry have two names")
  func additionalFields() async throws {
    let world = try await GatewayWorld.start()
    let subscription = #"""
      {"subscriptionID": "s", "subscriptionType": "query", "query": {"recordType": "Notes"},
       "firesOn": ["create"], "notificationInfo": {"alertBody": "new", "additionalFields": ["n"]}}
      """#
    let answer = try world.post(
      "private/subscriptions/modify",
      text: #"{"operations": [{"operationType": "create", "subscription": \#(subscription)}]}"#
    )
    let info = answer.items("subscriptions").first?["notificationInfo"]?.object
    #expect(info?["desiredKeys"] == .array(["n"]), "\(answer.text)")
  }
}
