extension VectorArea {
  /// Bytes that are no message.
  static func refused() throws -> Self {
    Self(
      name: "refused",
      about: "Bytes that every decoder refuses.",
      vectors: [
        binary("truncated_tag", "The bytes end within a tag.", "tidings.v1.RecordID", [0x8a]),
        binary("truncated_length", "The bytes end within a length.", "tidings.v1.RecordID", [0x0a]),
        binary(
          "truncated_text",
          "The text is shorter than its length says.",
          "tidings.v1.RecordID",
          [0x0a, 0x05, 0x61, 0x62]
        ),
        binary(
          "truncated_number",
          "The bytes end within a number.",
          "tidings.rpc.v1.RequestHeader",
          [0x08, 0xff]
        ),
        binary(
          "truncated_fixed",
          "The bytes end within a number of 8 bytes.",
          "tidings.v1.Push",
          [0x21, 0x01, 0x02]
        ),
        binary(
          "truncated_inner",
          "A message within the message is cut short, though its length is right.",
          "tidings.v1.Record",
          [0x0a, 0x02, 0x0a, 0x05]
        ),
        binary(
          "number_too_long",
          "A number of eleven bytes.",
          "tidings.rpc.v1.RequestHeader",
          [0x08] + [UInt8](repeating: 0x80, count: 10) + [0x01]
        ),
        binary(
          "length_overflow",
          "A length of nearly 2^64.",
          "tidings.v1.RecordID",
          [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]
        ),
        binary(
          "length_of_4_gib",
          "A length that 32 bits cannot hold, in a message of a few bytes.",
          "tidings.v1.RecordID",
          [0x0a, 0x80, 0x80, 0x80, 0x80, 0x10, 0x61]
        ),
        binary(
          "field_number_zero",
          "No field has the number 0.",
          "tidings.v1.RecordID",
          [0x02, 0x00]
        ),
        binary("wire_type_6", "There is no wire type 6.", "tidings.v1.RecordID", [0x0e, 0x00]),
        binary("wire_type_7", "There is no wire type 7.", "tidings.v1.RecordID", [0x0f, 0x00]),
        binary(
          "utf8_invalid",
          "A text is not UTF-8.",
          "tidings.v1.RecordID",
          [0x0a, 0x03, 0x61, 0xff, 0x62]
        ),
        binary("utf8_cut", "A character is cut short.", "tidings.v1.RecordID", [0x0a, 0x01, 0xc3]),
        binary(
          "utf8_overlong",
          "The slash in two bytes.",
          "tidings.v1.RecordID",
          [0x0a, 0x02, 0xc0, 0xaf]
        ),
        binary(
          "utf8_surrogate",
          "Half of a pair of UTF-16.",
          "tidings.v1.RecordID",
          [0x0a, 0x03, 0xed, 0xa0, 0x80]
        ),
        binary(
          "utf8_invalid_in_map_key",
          "The key of a map is a text too.",
          "tidings.v1.Record",
          [0x1a, 0x05, 0x0a, 0x01, 0xff, 0x12, 0x00]
        ),
        binary(
          "utf8_invalid_in_inner",
          "A text of a message within the message is not UTF-8.",
          "tidings.v1.Record",
          [0x0a, 0x03, 0x0a, 0x01, 0xff]
        ),
        binary(
          "nested_depth_limit",
          "More unknown groups in each other, each with its end, than any of protobuf's own decoders follows.",
          "tidings.v1.RecordID",
          [UInt8](repeating: 0x7b, count: 12_000) + [UInt8](repeating: 0x7c, count: 12_000)
        ),
        binary(
          "group_without_end",
          "An unknown group that does not end.",
          "tidings.v1.RecordID",
          [0x7b, 0x08, 0x01]
        ),
        binary(
          "group_end_alone",
          "The end of a group that never began.",
          "tidings.v1.RecordID",
          [0x7c]
        ),
      ]
    )
  }

  private static func binary(
    _ name: String,
    _ about: String,
    _ type: String,
    _ bytes: [UInt8]
  ) -> Vector {
    Vector(name: name, about: about, content: .refusedBinary(type: type, binary: bytes))
  }
}
