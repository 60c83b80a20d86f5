internal import TidingsWire

extension JSONDecoding {
  /// The JSON of one value.
  func single(
    _ value: WireField,
    of field: FieldSchema,
    depth: Int
  ) throws(TranscodingError) -> JSONValue {
    switch (field.kind, value) {
    case (.double, .fixed64(let bits)): number(Double(bitPattern: bits))
    case (.float, .fixed32(let bits)): number(Float(bitPattern: bits))
    // 64-bit integers are strings, because many readers of JSON know doubles only.
    case (.int64, .varint(let bits)): .string(Int64(bitPattern: bits).description)
    case (.uint64, .varint(let bits)): .string(bits.description)
    case (.fixed64, .fixed64(let bits)): .string(bits.description)
    case (.sfixed64, .fixed64(let bits)): .string(Int64(bitPattern: bits).description)
    case (.sint64, .varint(let bits)): .string(zigZag(bits).description)
    case (.int32, .varint(let bits)): .integer(Int32(truncatingIfNeeded: bits))
    case (.uint32, .varint(let bits)): .integer(UInt32(truncatingIfNeeded: bits))
    case (.fixed32, .fixed32(let bits)): .integer(bits)
    case (.sfixed32, .fixed32(let bits)): .integer(Int32(bitPattern: bits))
    case (.sint32, .varint(let bits)): .integer(Int32(truncatingIfNeeded: zigZag(bits)))
    case (.bool, .varint(let bits)): .bool(bits != 0)
    case (.enum, .varint(let bits)):
      enumValue(Int32(truncatingIfNeeded: bits), of: field.typeName)
    case (.string, .bytes(let bytes)): .string(try text(bytes))
    case (.bytes, .bytes(let bytes)): .string(Base64.encode(bytes))
    case (.message, .bytes(let bytes)):
      try message(bytes, of: field.typeName, depth: depth + 1)
    default: throw TranscodingError("the wire has a \(value) for a \(field.kind.keyword)")
    }
  }

  func text(_ bytes: ArraySlice<UInt8>) throws(TranscodingError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw TranscodingError("the string is not UTF-8")
    }
    return text
  }

  private func number(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> JSONValue {
    if value.isNaN { return .string("NaN") }
    if value.isInfinite { return .string(value < 0 ? "-Infinity" : "Infinity") }
    return .number(JSONNumber(value))
  }

  private func zigZag(_ bits: UInt64) -> Int64 {
    Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
  }

  private func enumValue(_ number: Int32, of type: String) -> JSONValue {
    if type == "google.protobuf.NullValue" { return .null }
    let value = schema.enums[type]?.values.first { $0.number == number }
    return value.map { .string($0.name) } ?? .integer(number)
  }
}
