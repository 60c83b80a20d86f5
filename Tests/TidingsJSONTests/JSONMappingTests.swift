import Testing
import TidingsJSON

@Suite struct JSONMappingTests {
  private let transcoder = JSONTranscoder(schema: MappingSchema.schema)
  private let type = "mapping.Everything"

  private func roundTrip(_ json: String) throws -> String {
    let bytes = try transcoder.encode(JSONValue(parsing: json), as: type)
    return try transcoder.decode(bytes, as: type).description
  }

  @Test(
    "the canonical form comes back as it is",
    arguments: [
      "{}",
      #"{"aDouble":1.5,"aFloat":0.1,"anInt32":-5,"anInt64":"-9223372036854775808"}"#,
      #"{"aUint32":4294967295,"aUint64":"18446744073709551615","aSint32":-2147483648}"#,
      #"{"aSint64":"-9223372036854775808","aFixed32":4294967295,"aFixed64":"18446744073709551615"}"#,
      #"{"aSfixed32":-1,"aSfixed64":"-1","aBool":true,"aString":"a\u0000b","someBytes":"AP8="}"#,
      #"{"aDouble":"NaN","aFloat":"-Infinity"}"#,
      #"{"aDouble":"Infinity"}"#,
      #"{"color":"COLOR_GREEN"}"#, #"{"color":"COLOR_NEGATIVE"}"#, #"{"color":77}"#,
      #"{"nested":{"nested":{}}}"#,
      #"{"numbers":[1,0,-1],"looseNumbers":[0,2],"texts":["","x"]}"#,
      #"{"byName":{"":0,"a":1},"byNumber":{"-7":{"anInt32":1}},"byFlag":{"false":"","true":"AA=="}}"#,
      #"{"left":""}"#, #"{"right":"0"}"#, #"{"both":{}}"#,
      #"{"maybe":0}"#, #"{"other_name":"x"}"#,
      #"{"when":"0001-01-01T00:00:00Z"}"#, #"{"when":"9999-12-31T23:59:59.999999999Z"}"#,
      #"{"when":"2024-02-29T12:00:00.500Z"}"#, #"{"when":"1969-12-31T23:59:59.000001Z"}"#,
      #"{"lasting":"0s"}"#, #"{"lasting":"-0.500s"}"#, #"{"lasting":"315576000000s"}"#,
      #"{"mask":"aDouble,nested.anInt32"}"#,
      #"{"any":{"@type":"type.googleapis.com/mapping.Everything","anInt32":1}}"#,
      #"{"any":{"@type":"x/google.protobuf.Duration","value":"1s"}}"#,
      #"{"any":{"@type":"type.googleapis.com/mapping.Unknown","value":"AQI="}}"#,
      #"{"structure":{"a":null,"b":[1.0,"x",true,{"c":{}}]}}"#,
      #"{"value":null}"#, #"{"value":[null]}"#, #"{"value":"s"}"#, #"{"list":[]}"#,
      #"{"boxedInt64":"0","boxedString":"","boxedBool":false,"boxedBytes":"","boxedDouble":0.0}"#,
      #"{"doubles":[0.0,1.5,"NaN"]}"#,
    ]
  )
  func canonical(json: String) throws {
    #expect(try roundTrip(json) == json)
  }

  @Test(
    "other forms are read",
    arguments: [
      (
        #"{"an_int32":"5","an_int64":5,"a_double":"1.5","a_uint64":1e3}"#,
        #"{"aDouble":1.5,"anInt32":5,"anInt64":"5","aUint64":"1000"}"#
      ),
      (#"{"color":2,"someBytes":"-_8"}"#, #"{"someBytes":"+/8=","color":"COLOR_GREEN"}"#),
      (
        #"{"aString":null,"nested":null,"numbers":null,"left":null,"right":"1"}"#,
        #"{"right":"1"}"#
      ),
      (#"{"when":"2026-01-02T03:04:05.6+02:00"}"#, #"{"when":"2026-01-02T01:04:05.600Z"}"#),
      (#"{"lasting":"1.5s"}"#, #"{"lasting":"1.500s"}"#),
      (#"{"anInt32":5.0,"aFloat":16777217}"#, #"{"aFloat":16777216.0,"anInt32":5}"#),
      (#"{"renamed":"x"}"#, #"{"other_name":"x"}"#),
      (#"{"aBool":false,"aString":"","anInt32":0,"numbers":[],"byName":{}}"#, "{}"),
    ]
  )
  func variants(json: String, canonical: String) throws {
    #expect(try roundTrip(json) == canonical)
  }

  @Test(
    "mistakes name the path",
    arguments: [
      (#"[]"#, "mapping.Everything is an object in JSON, not an array"),
      (#"{"nope":1}"#, "nope: mapping.Everything has no such field"),
      (
        #"{"nested":{"byNumber":{"3":{"colour":1}}}}"#,
        #"nested.byNumber["3"].colour: mapping.Everything has no such field"#
      ),
      (
        #"{"anInt32":2147483648}"#,
        "anInt32: 2147483648 is not a whole number from -2147483648 to 2147483647"
      ),
      (#"{"aUint64":-1}"#, "aUint64: -1 is not a whole number from 0 to 18446744073709551615"),
      (
        #"{"anInt64":"1.5"}"#,
        "anInt64: 1.5 is not a whole number from -9223372036854775808 to 9223372036854775807"
      ),
      (#"{"anInt32":" 1"}"#, "anInt32: expected a whole number, not a string"),
      (#"{"anInt32":true}"#, "anInt32: expected a whole number, not a boolean"),
      (#"{"aDouble":1e999}"#, "aDouble: 1e999 is out of range"),
      (#"{"aFloat":1e39}"#, "aFloat: 1e39 is out of range"),
      (#"{"aBool":"true"}"#, "aBool: expected true or false, not a string"),
      (#"{"aString":1}"#, "aString: expected a string, not a number"),
      (#"{"someBytes":"*"}"#, "someBytes: the string is not base64"),
      (#"{"color":"BLUE"}"#, "color: mapping.Color has no value 'BLUE'"),
      (#"{"numbers":[1,null]}"#, "numbers[1]: expected a whole number, not null"),
      (#"{"numbers":1}"#, "numbers: a list is an array in JSON, not a number"),
      (#"{"byName":[]}"#, "byName: a map is an object in JSON, not an array"),
      (
        #"{"byFlag":{"maybe":""}}"#,
        #"byFlag["maybe"]: expected true or false, not a string"#
      ),
      (
        #"{"left":"","right":"1"}"#,
        "right: only one of 'left' and 'right' can be set (oneof choice)"
      ),
      (
        #"{"aBool":true,"a_bool":true}"#,
        "a_bool: the field appears twice, under both of its names"
      ),
      (
        #"{"when":"2025-02-29T00:00:00Z"}"#,
        "when: a time looks like \"2026-01-02T03:04:05.678Z\""
      ),
      (
        #"{"when":"10000-01-01T00:00:00Z"}"#,
        "when: a time looks like \"2026-01-02T03:04:05.678Z\""
      ),
      (#"{"lasting":"315576000001s"}"#, "lasting: a duration looks like \"1.5s\""),
      (#"{"any":{"anInt32":1}}"#, "any: \"@type\" is missing"),
    ]
  )
  func mistakes(json: String, message: String) throws {
    let value = try JSONValue(parsing: json)
    let error = #expect(throws: TranscodingError.self) { try transcoder.encode(value, as: type) }
    #expect(error?.description == message)
  }

  @Test("unknown members can be skipped")
  func unknownMembers() throws {
    var options = JSONTranscoder.Options()
    options.ignoresUnknownMembers = true
    let transcoder = JSONTranscoder(schema: MappingSchema.schema, options: options)
    let value = try JSONValue(parsing: #"{"nope":{},"nested":{"nope":1,"aBool":true}}"#)
    let bytes = try transcoder.encode(value, as: type)
    #expect(try transcoder.decode(bytes, as: type).description == #"{"nested":{"aBool":true}}"#)
  }

  @Test("defaults and proto names can be written")
  func options() throws {
    var options = JSONTranscoder.Options()
    (options.writesDefaults, options.usesProtoNames) = (true, true)
    let transcoder = JSONTranscoder(schema: MappingSchema.schema, options: options)
    let object = try #require(try transcoder.decode([], as: type).object)
    #expect(object["a_double"] == .double(0))
    #expect(object["an_int64"] == .string("0"))
    #expect(object["color"] == .string("COLOR_UNSPECIFIED"))
    #expect(object["by_name"] == .object([:]))
    #expect(object["numbers"] == .array([]))
    #expect(object["nested"] == nil && object["maybe"] == nil && object["left"] == nil)
  }

  @Test("packed and unpacked lists are both read")
  func packing() throws {
    let packed: [UInt8] = [0x92, 0x01, 2, 1, 2]
    let unpacked: [UInt8] = [0x90, 0x01, 1, 0x90, 0x01, 2]
    for bytes in [packed, unpacked] {
      #expect(try transcoder.decode(bytes, as: type).description == #"{"numbers":[1,2]}"#)
    }
    #expect(try transcoder.encode(JSONValue(parsing: #"{"numbers":[1,2]}"#), as: type) == packed)
    #expect(
      try transcoder.encode(JSONValue(parsing: #"{"loose_numbers":[1,2]}"#), as: type)
        == [0x98, 0x01, 1, 0x98, 0x01, 2]
    )
  }

  @Test("on the wire the last scalar and the last of a oneof count, and messages are merged")
  func lastOneWins() throws {
    let parts = [
      #"{"anInt32":1,"left":"x","nested":{"aBool":true,"aString":"a"}}"#,
      #"{"anInt32":2,"right":"3","nested":{"aString":"b"}}"#,
    ]
    let bytes = try parts.flatMap { try transcoder.encode(JSONValue(parsing: $0), as: type) }
    #expect(
      try transcoder.decode(bytes, as: type).description
        == #"{"anInt32":2,"nested":{"aBool":true,"aString":"b"},"right":"3"}"#
    )
  }

  @Test("bytes that are not the message are refused")
  func damaged() {
    for bytes in [[0x08], [0xFF], [0x0A, 5, 1], [0x72, 1, 0xFF], [0x0F, 0], [0x03]] as [[UInt8]] {
      #expect(throws: TranscodingError.self, "\(bytes)") {
        try transcoder.decode(bytes, as: type)
      }
    }
    #expect(throws: TranscodingError.self) { try transcoder.decode([], as: "mapping.None") }
  }

  @Test("nesting is bounded in both directions")
  func nesting() throws {
    var value = JSONValue.object([:])
    for _ in 1..<64 { value = .object(["nested": value]) }
    let bytes = try transcoder.encode(value, as: type)
    #expect(try transcoder.decode(bytes, as: type) == value)
    #expect(throws: TranscodingError.self) {
      try transcoder.encode(.object(["nested": value]), as: type)
    }
    var deep: [UInt8] = []
    for _ in 0..<64 {
      deep = [0x8A, 0x01] + varint(deep.count) + deep
    }
    #expect(throws: TranscodingError.self) { try transcoder.decode(deep, as: type) }
  }

  private func varint(_ value: Int) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value & 127 | 128)] + varint(value >> 7)
  }
}

@Suite struct SchemaTests {
  private let schema = MappingSchema.schema

  @Test("comments, services and idempotency are read")
  func content() throws {
    let message = try #require(schema.messages["mapping.Everything"])
    #expect(message.comment == " Every kind of field.\n")
    #expect(message.fields.first { $0.name == "a_string" }?.comment == " A text.\n")
    #expect(message.fields.first { $0.name == "maybe" }?.isOptional == true)
    #expect(schema.enums["mapping.Color"]?.values[2].comment == " Like grass.\n")
    let (service, method) = try #require(schema.method("mapping.Mapper/Map"))
    #expect(service.comment == " Maps.\n")
    #expect(method.idempotency == .noSideEffects && !method.isServerStreaming)
    #expect(schema.method("mapping.Mapper.Follow")?.method.isServerStreaming == true)
    #expect(schema.method("mapping.Mapper/Nope") == nil)
  }

  @Test("damaged descriptors are refused")
  func damaged() {
    #expect(throws: Schema.ReadingError.self) { try Schema(fileDescriptorSet: [0x0A, 9, 1]) }
    #expect(throws: Schema.ReadingError.self) { try Schema(fileDescriptors: [[0x22, 1, 0xFF]]) }
  }
}
