import Testing
import TidingsJSON
import TidingsProto

@testable import rpcctl

@Suite struct FieldValueJSONTests {
  private let values = FieldValueJSON()

  @Test(
    "printed values can be read back",
    arguments: [
      #""a\u0000b""#, "300000", "-9223372036854775808", "5.0", "0.1", "1e+300", "null", "[]",
      #"["a","b"]"#, "[1,2]", "[1.0,2.5]", #"{"timestamp":"2026-01-02T03:04:05.678Z"}"#,
      #"{"bytes":"AP8="}"#, #"{"reference":"h1"}"#,
      #"{"reference":{"recordName":"h1","action":"deleteSelf"}}"#,
      #"{"reference":{"recordName":"h1","zoneName":"z","ownerName":"o","action":"validate"}}"#,
      #"{"location":{"latitude":52.5,"longitude":-13.0}}"#,
      #"{"location":{"latitude":1.0,"longitude":2.0,"horizontalAccuracy":3.0,"verticalAccuracy":4.0,"altitude":5.0,"speed":6.0,"course":7.0,"timestamp":"2026-01-02T03:04:05Z"}}"#,
      #"{"asset":{"checksum":"AAEC","size":18446744073709551615}}"#,
      #"[{"bytes":""},{"bytes":"AA=="}]"#, #"[{"timestamp":"1969-12-31T23:59:59.999Z"}]"#,
      #"[{"reference":"a"},{"reference":{"recordName":"b","action":"validate"}}]"#,
      #"[{"location":{"latitude":1.0,"longitude":2.0}}]"#,
      #"[{"asset":{"checksum":"","size":0}}]"#,
    ]
  )
  func roundTrip(text: String) throws {
    let value = try values.value(JSONValue(parsing: text), "f")
    #expect(values.json(value).description == text)
  }

  @Test(
    "other spellings are accepted",
    arguments: [
      ("1e3", "1000.0"), ("5.0", "5.0"), (#"{"int64":"5"}"#, "5"),
      (#"{"int64":5.0}"#, "5"), (#"{"double":5}"#, "5.0"), (#"{"double":"2.5"}"#, "2.5"),
      (#"{"string":"x"}"#, #""x""#), ("[1,2.5,3]", "[1.0,2.5,3.0]"),
      (#"[{"double":1},{"double":2}]"#, "[1.0,2.0]"),
      (#"{"timestamp":-1}"#, #"{"timestamp":"1969-12-31T23:59:59.999Z"}"#),
      (#"{"timestamp":1767323045678}"#, #"{"timestamp":"2026-01-02T03:04:05.678Z"}"#),
      (#"{"reference":{"recordName":"h1","action":"none"}}"#, #"{"reference":"h1"}"#),
      (#"{"reference":{"recordName":"h1","zoneName":"_defaultZone"}}"#, #"{"reference":"h1"}"#),
      (
        #"{"location":{"latitude":1,"longitude":2,"speed":null}}"#,
        #"{"location":{"latitude":1.0,"longitude":2.0}}"#
      ),
    ]
  )
  func spellings(text: String, printed: String) throws {
    let value = try values.value(JSONValue(parsing: text), "f")
    #expect(values.json(value).description == printed)
  }

  @Test(
    "errors name the path",
    arguments: [
      ("9223372036854775808", "f: 9223372036854775808 is not a 64-bit integer"),
      ("1e999", "f: 1e999 is too large for a double"),
      (
        #"[1,"a"]"#,
        "f[1]: the elements of a list must have one type: this is a string, the first is a int64"
      ),
      (
        #"[{"reference":"a"},{"bytes":""}]"#,
        "f[1]: the elements of a list must have one type: this is a bytes, the first is a reference"
      ),
      ("[1,null]", "f[1]: null is not allowed in a list"),
      ("true", "f: a field cannot be a boolean: use 1 (INT64) for true"),
      ("[0,false]", "f[1]: a field cannot be a boolean: use 0 (INT64) for false"),
      ("[[1]]", "f[0]: a list is not allowed in a list"),
      (
        "{}",
        "f: expected an object with exactly one member: string, int64, double, bytes, timestamp, location, reference, asset, encrypted, sealed"
      ),
      (#"{"timestmp":1}"#, "f.timestmp: unknown type; did you mean timestamp?"),
      (
        #"{"timestamp":"yesterday"}"#,
        "f.timestamp: invalid time: use \"2026-01-02T03:04:05.678Z\" or a number of milliseconds"
      ),
      (#"{"bytes":"*"}"#, "f.bytes: invalid base64"),
      (#"{"int64":"1.5"}"#, "f.int64: 1.5 is not a 64-bit integer"),
      (#"{"location":{"latitude":1}}"#, "f.location: latitude and longitude are required"),
      (
        #"{"location":{"latitude":1,"longitude":2,"hight":3}}"#,
        "f.location.hight: unknown member; use latitude, longitude, horizontalAccuracy, verticalAccuracy, altitude, speed, course, timestamp"
      ),
      (
        #"{"reference":{"recordName":"a","action":"x"}}"#,
        "f.reference.action: invalid action: use none, deleteSelf or validate"
      ),
      (#"{"reference":{}}"#, "f.reference: recordName is required"),
      (#"{"asset":{"checksum":"","size":-1}}"#, "f.asset.size: -1 is not a number of bytes"),
    ]
  )
  func mistakes(text: String, message: String) throws {
    let json = try JSONValue(parsing: text)
    let error = #expect(throws: ValueError.self) { try values.value(json, "f") }
    #expect(error?.description == message)
  }

  @Test("a reference without a zone is to the record's own zone")
  func zones() throws {
    let values = FieldValueJSON(zoneName: "notes")
    let own = try values.value(JSONValue(parsing: #"{"reference":"a"}"#), "f")
    guard case .referenceValue(let reference)? = own.value else {
      Issue.record("no reference")
      return
    }
    #expect(reference.recordID?.zoneID?.zoneName == "notes")
    #expect(values.json(own).description == #"{"reference":"a"}"#)
    let elsewhere = TidingsV1.Reference(recordID: .init(recordName: "a"), action: .none)
    #expect(
      values.json(elsewhere).description == #"{"recordName":"a","zoneName":"_defaultZone"}"#
    )
  }
}

@Suite struct RecordJSONTests {
  @Test("a fetched record can be saved, with its change tag and without its modification info")
  func roundTrip() throws {
    let text =
      #"{"recordType":"Houses","recordName":"h1","zoneName":"z","changeTag":"7","fields":{"a":1,"b":null},"parent":{"recordName":"p","action":"validate"},"created":{"timestamp":"2026-01-02T03:04:05Z","userRecordName":"u","deviceId":"d"},"modified":{"userRecordName":"u"}}"#
    let record = try RecordJSON.record(JSONValue(parsing: text), "r", zoneName: "other")
    #expect(record.recordID?.zoneID?.zoneName == "z")
    #expect(record.changeTag == "7")
    #expect(record.fields == ["a": .init(value: .int64Value(1)), "b": .init()])
    #expect(record.created == nil && record.modified == nil)
    #expect(
      RecordJSON.json(record).description
        == #"{"recordType":"Houses","recordName":"h1","zoneName":"z","changeTag":"7","fields":{"a":1,"b":null},"parent":{"recordName":"p","action":"validate"}}"#
    )
  }

  @Test("a record without a zone is in the given zone")
  func zone() throws {
    let json = try JSONValue(parsing: #"{"recordType":"T"}"#)
    #expect(try RecordJSON.record(json, "r", zoneName: "z").recordID?.zoneID?.zoneName == "z")
    #expect(try RecordJSON.record(json, "r", zoneName: "").recordID?.zoneID == nil)
  }

  @Test(
    "errors name the path",
    arguments: [
      ("[]", "r: expected an object, not an array"),
      ("{}", "r: recordType is required"),
      (#"{"recordType":1}"#, "r.recordType: expected a string, not a number"),
      (#"{"recordTyp":"T"}"#, "r.recordTyp: unknown member; did you mean recordType?"),
      (#"{"recordType":"T","fields":[]}"#, "r.fields: expected an object, not an array"),
      (
        #"{"recordType":"T","fields":{"a":[[]]}}"#, "r.fields.a[0]: a list is not allowed in a list"
      ),
    ]
  )
  func mistakes(text: String, message: String) throws {
    let json = try JSONValue(parsing: text)
    let error = #expect(throws: ValueError.self) {
      try RecordJSON.record(json, "r", zoneName: "")
    }
    #expect(error?.description == message)
  }
}

@Suite struct SubscriptionJSONTests {
  @Test(
    "a fetched value can be saved",
    arguments: [
      #"{"subscriptionId":"s","type":"QUERY","recordType":"T","predicate":"a > 1","zoneName":"z","firesOnRecordCreation":true,"firesOnce":true,"notificationInfo":{"alertBody":"x","desiredKeys":["a"],"shouldBadge":true}}"#,
      #"{"subscriptionId":"s","type":"QUERY","recordType":"T","predicate":{"text":"a == %@","arguments":[{"timestamp":"2026-01-02T03:04:05Z"}]}}"#,
      #"{"subscriptionId":"s","type":"QUERY","recordType":"T","predicate":{"nodes":[{"comparison":{"fieldName":"a","operator":"PREDICATE_OPERATOR_EQUAL","values":[{"int64Value":"1"}]}},{"not":true}]}}"#,
    ]
  )
  func roundTrip(text: String) throws {
    let subscription = try SubscriptionJSON.subscription(JSONValue(parsing: text), "s")
    #expect(try SubscriptionJSON.json(subscription).description == text)
  }

  @Test(
    "the type may be omitted, written in full or in lower case; what the server sets is ignored"
  )
  func variants() throws {
    for type in ["", #","type":"query""#, #","type":"SUBSCRIPTION_TYPE_QUERY""#] {
      let json = try JSONValue(
        parsing: #"{"recordType":"T","effective":{"channelId":"1"}\#(type)}"#
      )
      let subscription = try SubscriptionJSON.subscription(json, "s")
      #expect(subscription.type == .query)
      #expect(subscription.effective == nil)
    }
  }

  @Test("an unknown member is rejected with its path")
  func unknown() throws {
    let json = try JSONValue(parsing: #"{"recordType":"T","notificationInfo":{"alert":"x"}}"#)
    let error = #expect(throws: ValueError.self) { try SubscriptionJSON.subscription(json, "s") }
    #expect(
      error?.description
        == "s: notificationInfo.alert: tidings.v1.NotificationInfo has no such field"
    )
  }
}
