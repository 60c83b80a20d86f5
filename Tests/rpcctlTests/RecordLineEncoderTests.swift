import RandomSupport
import TestSupport
import Testing
import TidingsJSON
import TidingsProto
import TidingsProtobuf

@testable import rpcctl

@Suite struct RecordLineEncoderTests {
  /// The result of the encoder for a line; `nil` if it is rejected.
  private static func short(_ line: String, zone: String) -> (TidingsV1.Record, Bool)? {
    var encoder = RecordLineEncoder(zoneName: zone)
    let text = Array("x\(line)y".utf8)
    var bytes: [UInt8] = []
    guard (try? encoder.encode(text, 1..<(text.count - 1), into: &bytes)) != nil,
      let request = try? TidingsV1.ModifyRecordsRequest(decoding: bytes)
    else { return nil }
    return (request.recordsToSave[0], encoder.slowPathCount == 0)
  }

  /// The result by way of values.
  private static func long(_ line: String, zone: String) -> TidingsV1.Record? {
    guard let json = try? JSONValue(parsing: line),
      var record = try? RecordJSON.record(json, "", zoneName: zone)
    else { return nil }
    record.changeTag = ""
    return record
  }

  @Test(
    "simple lines take the fast path, with the same result",
    arguments: [
      #"{"recordType":"T","recordName":"a","fields":{"s":"x","i":-5,"d":1.5e3,"n":null}}"#,
      #" { "recordType" : "T" , "fields" : { "z" : 0 , "l" : [1,2.5] } } "#,
      #"{"recordType":"T","recordName":"a","zoneName":"q","fields":{"r":{"reference":"b"}}}"#,
      #"{"recordType":"T","recordName":"ä€😀","ownerName":"o","changeTag":"7","fields":{}}"#,
      #"{"recordType":"T","zoneName":"q","parent":{"recordName":"p","action":"deleteSelf"}}"#,
      #"{"recordType":"T","parent":"p","created":{"timestamp":"\u0022}"},"modified":{"a":[]}}"#,
      #"{"recordType":"T","fields":{"t":{"timestamp":"2026-01-02T03:04:05Z"},"i":999999999999999999}}"#,
    ]
  )
  func plain(line: String) throws {
    for zone in ["", "z"] {
      let (record, isShort) = try #require(Self.short(line, zone: zone))
      #expect(record == Self.long(line, zone: zone))
      #expect(isShort == !line.contains("\\"))
    }
  }

  @Test(
    "other lines take the slow path",
    arguments: [
      #"{"recordType":"T\n","fields":{}}"#,
      #"{"recordType":"T","fields":{"i":9223372036854775807}}"#,
      #"{"fields":{"r":{"reference":"b"}},"zoneName":"q","recordType":"T"}"#,
      #"{"recordType":"T","fields":null,"created":null}"#,
    ]
  )
  func other(line: String) throws {
    let (record, isShort) = try #require(Self.short(line, zone: "z"))
    #expect(record == Self.long(line, zone: "z") && !isShort)
  }

  @Test(
    "invalid lines are rejected",
    arguments: [
      "", "{", "[]", "{}", #"{"recordType":"T"}}"#, #"{"recordType":"T",}"#,
      #"{"recordType":"T","recordType":"T"}"#, #"{"recordType":"T","fields":{"a":1,"a":1}}"#,
      #"{"recordType":"T","fields":{"a":01}}"#, #"{"recordType":"T","fields":{"a":1.}}"#,
      #"{"recordType":"T","fields":{"a":-}}"#, #"{"recordType":"T","fields":{"a":1e}}"#,
      #"{"recordType":"T","fields":{"a":1e999}}"#, #"{"recordType":"T","fields":{"a":tru}}"#,
      #"{"recordType":"T","fields":{"a":{"what":1}}}"#, #"{"recordType":"T","bogus":1}"#,
      #"{"recordType":"T","fields":{"a":[1,"x"]}}"#, #"{"recordType":"T","fields":{"a":"x}"#,
    ]
  )
  func wrong(line: String) {
    #expect(Self.long(line, zone: "") == nil)
    #expect(Self.short(line, zone: "") == nil)
  }

  @Test("invalid UTF-8 is rejected")
  func encoding() {
    var encoder = RecordLineEncoder(zoneName: "")
    let text = Array(#"{"recordType":"T","fields":{"a":"x"}}"#.utf8).map { $0 == 0x78 ? 0xFF : $0 }
    var bytes: [UInt8] = []
    #expect(throws: JSONSyntaxError.self) {
      try encoder.encode(text, 0..<text.count, into: &bytes)
    }
    #expect(bytes.isEmpty)
  }

  @Test("any line, damaged or not, has the same result on both paths")
  func damaged() throws {
    let seed = Seed.make("RecordLineEncoder")
    var random = SplitMix64(seed: seed)
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", " ", "1", "-", ".", "e", "null", "true", "\"a\"",
      "\"zoneName\":\"q\"", "\"recordName\":\"n\"", "\"fields\":{", "\"b\":{\"reference\":\"r\"}",
      "é",
    ]
    let lines = [
      #"{"recordType":"T","recordName":"a","zoneName":"q","fields":{"s":"x","i":-5,"d":1.5}}"#,
      #"{"recordType":"T","parent":"p","fields":{"r":{"reference":"b"},"l":[1,2],"n":null}}"#,
    ]
    for _ in 0..<20_000 {
      var line = Array(random.pick(lines))
      for _ in 0..<(random.below(3)) {
        let index = Int(random.below(line.count))
        switch random.below(3) {
        case 0: line.remove(at: index)
        case 1: line.insert(contentsOf: random.pick(pieces), at: index)
        default: line.replaceSubrange(index...index, with: random.pick(pieces))
        }
      }
      let text = String(line)
      #expect(Self.short(text, zone: "z")?.0 == Self.long(text, zone: "z"), "\(text), seed \(seed)")
    }
  }
}
