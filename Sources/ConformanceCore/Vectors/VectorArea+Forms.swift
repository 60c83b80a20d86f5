extension VectorArea {
  /// Other ways to write the same, in binary and in JSON.
  static func forms() throws -> Self {
    let make = try VectorMaker()
    return Self(
      name: "forms",
      about:
        "Ways to write a message that differ from the usual one, and what no JSON reader takes.",
      vectors: try binaryForms(make) + jsonForms(make) + notJSON()
    )
  }

  private static func binaryForms(_ make: VectorMaker) throws -> [Vector] {
    func form(
      _ name: String,
      _ about: String,
      _ type: String,
      _ binary: [UInt8],
      _ meaning: String
    ) throws -> Vector {
      let usual = try make.binary("tidings." + type, meaning)
      return Vector(
        name: name,
        about: about,
        content: .acceptedBinary(type: "tidings." + type, binary: binary, usual: usual)
      )
    }
    return [
      try form(
        "fields_in_another_order",
        "Fields may come in any order.",
        "v1.Record",
        [0x12, 0x01, 0x54, 0x0a, 0x03, 0x0a, 0x01, 0x72],
        #"{"recordId": {"recordName": "r"}, "recordType": "T"}"#
      ),
      try form(
        "last_one_counts",
        "A field that comes twice has its last value.",
        "v1.RecordID",
        [0x0a, 0x01, 0x61, 0x0a, 0x01, 0x62],
        #"{"recordName": "b"}"#
      ),
      try form(
        "messages_are_merged",
        "A message that comes in two parts is one.",
        "v1.RecordID",
        [0x12, 0x03, 0x0a, 0x01, 0x7a, 0x12, 0x03, 0x12, 0x01, 0x6f],
        #"{"zoneId": {"zoneName": "z", "ownerName": "o"}}"#
      ),
      try form(
        "oneof_last_one_counts",
        "Of a oneof that comes twice only the last member is there.",
        "v1.FieldValue",
        [0x10, 0x05, 0x0a, 0x01, 0x78],
        #"{"stringValue": "x"}"#
      ),
      try form(
        "numbers_not_packed",
        "Repeated numbers may come one by one.",
        "v1.Int64List",
        [0x08, 0x01, 0x08, 0x02],
        #"{"values": ["1", "2"]}"#
      ),
      try form(
        "numbers_in_two_packs",
        "And in several packs.",
        "v1.Int64List",
        [0x0a, 0x01, 0x01, 0x0a, 0x02, 0x02, 0x03],
        #"{"values": ["1", "2", "3"]}"#
      ),
      try form(
        "longer_numbers",
        "A number may have more bytes than it needs.",
        "rpc.v1.RequestHeader",
        [0x08, 0x81, 0x80, 0x80, 0x00],
        #"{"callId": "1"}"#
      ),
      try form(
        "defaults_written",
        "A field without presence that is at its default is as good as absent.",
        "v1.RecordID",
        [0x0a, 0x00],
        "{}"
      ),
      try form(
        "map_entry_without_value",
        "An entry without a value has the default.",
        "rpc.v1.RequestHeader",
        [0x2a, 0x03, 0x0a, 0x01, 0x6b],
        #"{"metadata": {"k": ""}}"#
      ),
      try form(
        "map_key_twice",
        "Of two entries with one key the last counts.",
        "rpc.v1.RequestHeader",
        [
          0x2a, 0x06, 0x0a, 0x01, 0x6b, 0x12, 0x01, 0x31, 0x2a, 0x06, 0x0a, 0x01, 0x6b, 0x12, 0x01,
          0x32,
        ],
        #"{"metadata": {"k": "2"}}"#
      ),
      try form(
        "true_as_two",
        "Any number but zero is true.",
        "v1.SortDescriptor",
        [0x10, 0x02],
        #"{"descending": true}"#
      ),
    ]
  }

  private static func jsonForms(_ make: VectorMaker) throws -> [Vector] {
    func form(
      _ name: String,
      _ about: String,
      _ type: String,
      _ text: String,
      _ meaning: String
    ) throws -> Vector {
      try make.acceptedJSON("json_" + name, about, "tidings." + type, text, meaning: meaning)
    }
    return [
      try form(
        "proto_names",
        "Names as in the .proto are read too.",
        "v1.RecordID",
        #"{"record_name": "r", "zone_id": {"zone_name": "z"}}"#,
        #"{"recordName": "r", "zoneId": {"zoneName": "z"}}"#
      ),
      try form(
        "integers_as_numbers",
        "64 bits may come as a number.",
        "v1.FieldValue",
        #"{"int64Value": -42}"#,
        #"{"int64Value": "-42"}"#
      ),
      try form(
        "integers_as_text",
        "32 bits may come as a text.",
        "rpc.v1.RequestHeader",
        #"{"timeoutMs": "250"}"#,
        #"{"timeoutMs": 250}"#
      ),
      try form(
        "integer_with_exponent",
        "100 is 1e2.",
        "rpc.v1.RequestHeader",
        #"{"timeoutMs": 1e2}"#,
        #"{"timeoutMs": 100}"#
      ),
      try form(
        "double_as_text",
        "A double may come as a text.",
        "v1.FieldValue",
        #"{"doubleValue": "1.5"}"#,
        #"{"doubleValue": 1.5}"#
      ),
      try form(
        "enum_as_number",
        "An enum may come as a number.",
        "v1.DatabaseID",
        #"{"scope": 2}"#,
        #"{"scope": "DATABASE_SCOPE_PRIVATE"}"#
      ),
      try form(
        "null_is_absent",
        "null for any field means that it is absent.",
        "v1.Record",
        #"{"recordType": null, "recordId": null, "fields": null, "changeTag": "1"}"#,
        #"{"changeTag": "1"}"#
      ),
      try form(
        "base64_of_urls",
        "Bytes may come in the alphabet of URLs, without padding.",
        "v1.FieldValue",
        #"{"bytesValue": "-_8"}"#,
        #"{"bytesValue": "+/8="}"#
      ),
      try form(
        "timestamp_with_offset",
        "A time of another zone.",
        "v1.FieldValue",
        #"{"timestampValue": "2026-01-01T02:00:00+02:00"}"#,
        #"{"timestampValue": "2026-01-01T00:00:00Z"}"#
      ),
      try form(
        "timestamp_with_one_digit",
        "Any number of digits up to nine.",
        "v1.FieldValue",
        #"{"timestampValue": "2026-01-01T00:00:00.5Z"}"#,
        #"{"timestampValue": "2026-01-01T00:00:00.500Z"}"#
      ),
      try form(
        "duration_with_nine_digits",
        "Nanoseconds.",
        "rpc.v1.RetryInfo",
        #"{"retryDelay": "3.000000001s"}"#,
        #"{"retryDelay": "3.000000001s"}"#
      ),
      try form(
        "white_space_and_escapes",
        "As JSON allows.",
        "v1.RecordID",
        "\n{ \"recordN\\u0061me\"\t:\r\n \"\\u0041\\n\\/\" }\n",
        #"{"recordName": "A\n/"}"#
      ),
    ]
  }

  private static func notJSON() -> [Vector] {
    func refused(_ name: String, _ about: String, _ type: String, _ text: String) -> Vector {
      Vector(
        name: "json_" + name,
        about: about,
        content: .refusedJSON(type: "tidings." + type, text: text)
      )
    }
    return [
      refused("cut_short", "The text ends early.", "v1.RecordID", #"{"recordName": "a""#),
      refused("more_behind", "Something follows.", "v1.RecordID", "{} {}"),
      refused("array", "A message is an object.", "v1.RecordID", "[]"),
      refused("unknown_member", "No such field.", "v1.RecordID", #"{"recordNames": "a"}"#),
      refused("number_for_text", "A text is no number.", "v1.RecordID", #"{"recordName": 1}"#),
      refused(
        "text_for_bool",
        "A bool is no text.",
        "v1.SortDescriptor",
        #"{"descending": "true"}"#
      ),
      refused("fraction", "An integer has none.", "rpc.v1.RequestHeader", #"{"timeoutMs": 1.5}"#),
      refused("negative", "Not below zero.", "rpc.v1.RequestHeader", #"{"timeoutMs": -1}"#),
      refused(
        "too_large",
        "More than 32 bits.",
        "rpc.v1.RequestHeader",
        #"{"timeoutMs": 4294967296}"#
      ),
      refused(
        "too_large_for_64_bits",
        "More than 64 bits.",
        "v1.FieldValue",
        #"{"int64Value": "9223372036854775808"}"#
      ),
      refused("unknown_enum_name", "No such value.", "v1.DatabaseID", #"{"scope": "PRIVATE"}"#),
      refused(
        "two_of_a_oneof",
        "A oneof has one member.",
        "v1.FieldValue",
        #"{"stringValue": "a", "int64Value": "1"}"#
      ),
      refused(
        "timestamp_without_zone",
        "A time needs its zone.",
        "v1.FieldValue",
        #"{"timestampValue": "2026-01-01T00:00:00"}"#
      ),
      refused(
        "timestamp_that_is_none",
        "There is no 30th of February.",
        "v1.FieldValue",
        #"{"timestampValue": "2026-02-30T00:00:00Z"}"#
      ),
      refused(
        "duration_without_unit",
        "A length of time ends in s.",
        "rpc.v1.RetryInfo",
        #"{"retryDelay": "3"}"#
      ),
      refused(
        "nested_too_deep",
        "A thousand lists in each other, where a text belongs.",
        "v1.RecordID",
        "{\"recordName\": " + String(repeating: "[", count: 1_000)
          + String(repeating: "]", count: 1_000) + "}"
      ),
    ]
  }
}
