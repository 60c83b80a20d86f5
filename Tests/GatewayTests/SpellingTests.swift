internal import TestSupport
internal import Testing
internal import TidingsJSON

/// Values without a type, and the spellings of CloudKit's clients.
@Suite(.endsServers) struct SpellingTests {
  private func names(_ answer: HTTPAnswer) -> [String] {
    answer.records.compactMap { $0["recordName"]?.string }
  }

  private func filter(
    _ world: GatewayWorld,
    _ filter: String,
    _ members: String = ""
  ) throws -> HTTPAnswer {
    try world.post(
      "private/records/query",
      text: #"{"query": {"recordType": "T", "filterBy": [{\#(filter)}]}\#(members)}"#
    )
  }

  @Test("values without a type have that of the schema or of the system field")
  func untyped() async throws {
    let world = try await GatewayWorld.start()
    let fields = #"""
      {"at": {"value": 1700000000000, "type": "TIMESTAMP"}, "data": {"value": "AAEC", "type": "BYTES"},
       "n": {"value": 1}, "mixed": {"value": [1, 2.5]}}
      """#
    let saved = try world.modify(
      "create",
      #"{"recordName": "a", "recordType": "T", "fields": \#(fields)}"#
    )
    let mixed = saved.records.first?["fields"]?.object?["mixed"]?.object
    #expect(mixed?["type"] == "DOUBLE_LIST", "\(saved.text)")
    for name in [
      #""systemFieldName": "createdTimestamp""#, #""systemFieldName": "___createTime""#,
      #""fieldName": "___createTime""#, #""fieldName": "creationDate""#,
      #""systemFieldName": "creationDate""#, #""systemFieldName": "modifiedTimestamp""#,
      #""fieldName": "___modTime""#, #""fieldName": "modificationDate""#, #""fieldName": "at""#,
    ] {
      let found = try filter(
        world,
        #"\#(name), "comparator": "GREATER_THAN", "fieldValue": {"value": 0}"#
      )
      #expect(names(found) == ["a"], "\(name): \(found.text)")
    }
    for (index, condition) in [
      #""systemFieldName": "createdTimestamp", "comparator": "GREATER_THAN", "fieldValue": {"value": 0}"#,
      #""fieldName": "at", "comparator": "IN", "fieldValue": {"value": [0]}"#,
      #""fieldName": "data", "comparator": "EQUALS", "fieldValue": {"value": "AAEC"}"#,
    ].enumerated() {
      let subscription = #"""
        {"subscriptionID": "s\#(index)", "subscriptionType": "query", "firesOn": ["create"],
         "query": {"recordType": "T", "filterBy": [{\#(condition)}]}}
        """#
      let answer = try world.post(
        "private/subscriptions/modify",
        text: #"{"operations": [{"operationType": "create", "subscription": \#(subscription)}]}"#
      )
      let kept = answer.items("subscriptions").first
      #expect(kept != nil && kept?["serverErrorCode"] == nil, "\(answer.text)")
    }
    let wrong = try filter(
      world,
      #""fieldName": "n", "comparator": "EQUALS", "fieldValue": {"value": "x", "type": "STRING"}"#
    )
    let warning = wrong.json?.object?["warnings"]?.array?.first?.string ?? ""
    #expect(warning.contains("INT64") && warning.contains("STRING"), "\(wrong.text)")
  }

  @Test("what CloudKit's clients write is understood")
  func spellings() async throws {
    let world = try await GatewayWorld.start()
    let zone = #"{"operationType": "create", "zone": {"zoneID": {"zoneName": "z"}}}"#
    _ = try world.post("private/zones/modify", text: #"{"operations": [\#(zone)]}"#)
    for owner in ["ownerName", "ownerRecordName"] {
      for name in ["__defaultOwner__", "_defaultOwner", "ada"] {
        let record = #"""
          {"recordName": "\#(owner)-\#(name)", "recordType": "T",
           "zoneID": {"zoneName": "z", "\#(owner)": "\#(name)"},
           "fields": {"n": {"value": 1, "type": "NUMBER_INT64"}, "d": {"value": [1], "type": "NUMBER_DOUBLE_LIST"}}}
          """#
        let saved = try world.modify("create", record)
        let fields = saved.records.first?["fields"]?.object
        #expect(fields?["n"]?.object?["type"] == "INT64", "\(saved.text)")
        #expect(fields?["d"]?.object?["type"] == "DOUBLE_LIST", "\(saved.text)")
      }
    }
    let inZone = #""zoneID": {"zoneName": "z"}"#
    func post(_ endpoint: String, _ body: String) throws -> HTTPAnswer {
      let path =
        GatewayWorld.path(endpoint, environment: "DEVELOPMENT")
        + "&getCurrentSyncToken=True&remapEnums=true"
      return try HTTPAnswer.to("POST", path, at: world.port, body: Array(body.utf8))
    }
    for answer in [
      try post("private/records/query", #"{"query": {"recordType": "T"}, \#(inZone)}"#),
      try post(
        "private/records/lookup",
        #"{"records": [{"recordName": "ownerName-ada"}], \#(inZone)}"#
      ),
    ] {
      let token = try #require(answer.json?.object?["syncToken"]?.string, "\(answer.text)")
      let later = try world.post(
        "private/changes/zone",
        text: #"{"zones": [{\#(inZone), "syncToken": "\#(token)"}]}"#
      )
      #expect(later.items("zones").first?["records"] == .array([]), "\(later.text)")
    }
    let page = try world.post(
      "private/changes/zone",
      text: #"{"zones": [{\#(inZone)}], "resultsLimit": 2, "desiredKeys": ["n"]}"#
    ).items("zones").first
    #expect(page?["records"]?.array?.count == 2 && page?["moreComing"] == .bool(true))
    let fields = page?["records"]?.array?.first?.object?["fields"]?.object
    #expect(fields?.members.map(\.name) == ["n"])
    let child =
      #"{"recordName": "child", "recordType": "T", \#(inZone), "parent": {"recordName": "ownerName-ada"}}"#
    _ = try world.modify("create", child)
    let found = try filter(
      world,
      #""systemFieldName": "parent", "comparator": "EQUALS", "fieldValue": {"value": {"recordName": "ownerName-ada"}}"#,
      ", \(inZone)"
    )
    #expect(names(found) == ["child"], "\(found.text)")
    let share = try filter(
      world,
      #""systemFieldName": "share", "comparator": "EQUALS", "fieldValue": {"value": {"recordName": "s"}}"#
    )
    #expect(share.status == 400 && share.text.contains("cannot be queried"), "\(share.text)")
  }

  @Test("creating a record that another user has, and all may read, is a conflict")
  func others() async throws {
    let world = try await GatewayWorld.start()
    let record = #"{"recordName": "p", "recordType": "T", "fields": {"n": {"value": 1}}}"#
    _ = try world.modify("create", record, in: "public", as: "bob")
    let refused = try world.modify("create", record, in: "public").records.first
    #expect(refused?["serverErrorCode"] == "CONFLICT", "\(String(describing: refused))")
    #expect(refused?["serverRecord"]?.object?["recordName"] == "p")
    let update = try world.modify("forceUpdate", record, in: "public").records.first
    #expect(update?["serverErrorCode"] == "ACCESS_DENIED")
  }

  @Test(
    "the root of a share that all may read is shown before it is accepted, and that of others is not"
  )
  func roots() async throws {
    let world = try await GatewayWorld.start()
    let zone = #"{"operationType": "create", "zone": {"zoneID": {"zoneName": "z"}}}"#
    _ = try world.post("private/zones/modify", text: #"{"operations": [\#(zone)]}"#)
    let inZone = #""zoneID": {"zoneName": "z"}"#
    for (permission, isShown) in [("READ_ONLY", true), ("NONE", false)] {
      let root = #"{"recordName": "\#(permission)", "recordType": "T", \#(inZone)}"#
      _ = try world.modify("create", root)
      let share = #"""
        {"recordType": "cloudkit.share", \#(inZone), "forRecord": {"recordName": "\#(permission)"},
         "publicPermission": "\#(permission)",
         "participants": [{"userIdentity": {"userRecordName": "cleo"}, "permission": "READ_ONLY"}]}
        """#
      let guid = try world.modify("create", share).records.first?["shortGUID"]?.string
      let request = #"{"value": "\#(try #require(guid))", "shouldFetchRootRecord": true}"#
      let answer = try world.post(
        "public/records/resolve",
        text: #"{"shortGUIDs": [\#(request)]}"#,
        as: "bob"
      )
      let found = answer.items("results").first?["rootRecord"]?.object?["recordName"]
      #expect(found == (isShown ? .string(permission) : nil), "\(answer.text)")
    }
  }

  @Test("the owner of a zone is named with keys as without")
  func owner() async throws {
    let world = try await CredentialWorld.make()
    let token = try await world.token()
    let zone =
      #"{"operationType": "create", "zone": {"zoneID": {"zoneName": "z", "ownerRecordName": "ada"}}}"#
    let made = try world.post(
      "private/zones/modify",
      user: token,
      body: #"{"operations": [\#(zone)]}"#
    )
    let id = made.items("zones").first?["zoneID"]?.object
    #expect(id?["ownerRecordName"] == "ada", "\(made.text)")
  }
}
