internal import TestSupport
internal import Testing
internal import TidingsJSON

/// A record of a request that cannot be read fails alone, and in an atomic zone with its batch.
@Suite(.endsServers) struct BadItemTests {
  /// What a record may have that no record can have.
  private static let kinds = [
    #""fields": {"r": {"value": {"recordName": "a", "action": "EXPLODE"}}}"#,
    #""fields": {"r": {"value": [{"recordName": "a", "action": "EXPLODE"}], "type": "REFERENCE_LIST"}}"#,
    #""fields": {"r": {"value": {"action": "NONE"}, "type": "REFERENCE"}}"#,
    #""fields": {"s": {"value": 5, "type": "STRING"}}"#, #""fields": {"s": "x"}"#,
    #""fields": {"s": {"value": "x", "type": "COLOUR"}}"#,
    #""fields": {"i": {"value": 1.5, "type": "INT64"}}"#,
    #""fields": {"t": {"value": -1e15, "type": "TIMESTAMP"}}"#,
    #""fields": {"t": {"value": [0, "soon"], "type": "TIMESTAMP_LIST"}}"#,
    #""fields": {"b": {"value": "?", "type": "BYTES"}}"#,
    #""fields": {"p": {"value": {"latitude": 1}, "type": "LOCATION"}}"#,
    #""fields": {"p": {"value": {"latitude": 91, "longitude": 0}}}"#,
    #""fields": {"a": {"value": {"fileChecksum": "AAAA"}, "type": "ASSETID"}}"#,
    #""fields": {"e": {"value": "AAAA", "type": "ENCRYPTED_BYTES"}}"#,
    #""fields": {"9": {"value": 1}}"#, #""parent": {"recordName": "a", "action": "EXPLODE"}"#,
    #""parent": "a""#,
  ]

  @Test("the others are saved, wherever it stands")
  func others() async throws {
    let world = try await GatewayWorld.start()
    let zone = #"{"operationType": "create", "zone": {"zoneID": {"zoneName": "z"}}}"#
    _ = try world.post("private/zones/modify", text: #"{"operations": [\#(zone)]}"#)
    for (kind, members) in Self.kinds.enumerated() {
      for (position, zone) in [(0, ""), (1, ""), (2, ""), (1, #", "zoneID": {"zoneName": "z"}"#)] {
        let isAtomic = !zone.isEmpty
        var records = ["\(kind)-\(position)-a", "\(kind)-\(position)-b"].map {
          #"{"recordName": "\#($0)", "recordType": "House", "fields": {"price": {"value": 1}}}"#
        }
        records.insert(
          #"{"recordName": "bad", "recordType": "House", \#(members)}"#,
          at: position
        )
        let operations = records.map { #"{"operationType": "create", "record": \#($0)}"# }
        let answer = try world.post(
          "private/records/modify",
          text: #"{"operations": [\#(operations.joined(separator: ", "))]\#(zone)}"#
        )
        try #require(answer.records.count == 3, "kind \(kind) at \(position): \(answer.text)")
        for (index, record) in answer.records.enumerated() {
          let expected = index == position ? "BAD_REQUEST" : isAtomic ? "ATOMIC_ERROR" : nil
          #expect(record["serverErrorCode"]?.string == expected, "\(kind): \(answer.text)")
        }
        let bad = answer.records[position]
        #expect(bad["recordName"] == "bad", "\(answer.text)")
        #expect(bad["reason"]?.string?.contains("time") != true || members.contains("\"t\""))
      }
    }
  }

  @Test("times with more than milliseconds are answered as they are stored")
  func times() async throws {
    let world = try await GatewayWorld.start()
    for (sent, stored) in [
      ("1700000000123.456789", "1700000000123.456789"), ("\"-0.25\"", "-0.25"),
      ("1.5000", "1.5"), ("-1500.0000019", "-1500.000001"), ("1.7e12", "1700000000000"),
      ("-1500", "-1500"), ("253402300799999.999999", "253402300799999.999999"),
    ] {
      let time = #"{"value": \#(sent), "type": "TIMESTAMP"}"#
      let location = #"{"value": {"latitude": 1, "longitude": 2, "timestamp": \#(sent)}}"#
      let record =
        #"{"recordName": "a", "recordType": "T", "fields": {"t": \#(time), "p": \#(location)}}"#
      _ = try world.modify("forceReplace", record)
      for isText in [true, false] {
        let answer = try world.post(
          "private/records/lookup",
          text: #"{"records": [{"recordName": "a"}], "numbersAsStrings": \#(isText)}"#
        )
        let fields = answer.records.first?["fields"]?.object
        for value in [
          fields?["t"]?.object?["value"],
          fields?["p"]?.object?["value"]?.object?["timestamp"],
        ] {
          let text = isText ? value?.string : value?.number?.literal
          #expect(text == stored, "\(sent): \(answer.text)")
        }
      }
    }
    for sent in ["\"soon\"", "253402300800000", "-62135596800000.1", "true", "\"--1\""] {
      let fields = #"{"t": {"value": \#(sent), "type": "TIMESTAMP"}}"#
      let record = #"{"recordName": "a", "recordType": "T", "fields": \#(fields)}"#
      #expect(try world.modify("forceReplace", record).text.contains("not a time"), "\(sent)")
    }
  }
}
