internal import TidingsWire

extension JSONEncoding {
  /// A value as it stands on the wire behind its tag.
  func payload(
    _ value: JSONValue,
    of field: FieldSchema,
    depth: Int
  ) throws(TranscodingError) -> [UInt8] {
    var writer = WireWriter()
    switch field.kind {
    case .double: writer.fixed(try floatingPoint(value, Double.self).bitPattern)
    case .float: writer.fixed(try floatingPoint(value, Float.self).bitPattern)
    case .int64: writer.varint(UInt64(bitPattern: try integer(value, Int64.self)))
    case .uint64: writer.varint(try integer(value, UInt64.self))
    case .int32: writer.varint(UInt64(bitPattern: Int64(try integer(value, Int32.self))))
    case .uint32: writer.varint(UInt64(try integer(value, UInt32.self)))
    case .fixed64: writer.fixed(try integer(value, UInt64.self))
    case .fixed32: writer.fixed(try integer(value, UInt32.self))
    case .sfixed64: writer.fixed(try integer(value, Int64.self))
    case .sfixed32: writer.fixed(try integer(value, Int32.self))
    case .sint64: writer.varint(zigZag(try integer(value, Int64.self)))
    case .sint32: writer.varint(zigZag(Int64(try integer(value, Int32.self))))
    case .bool: writer.varint(try bool(value) ? 1 : 0)
    case .enum:
      let number = try enumNumber(value, of: field.typeName)
      writer.varint(UInt64(bitPattern: Int64(number)))
    case .string: writer.delimited(Array(try string(value).utf8))
    case .bytes: writer.delimited(try bytes(value))
    case .message: writer.delimited(try message(value, of: field.typeName, depth: depth + 1))
    case .group: throw TranscodingError("groups have no JSON")
    }
    return writer.bytes
  }

  func string(_ value: JSONValue) throws(TranscodingError) -> String {
    guard let string = value.string else {
      throw TranscodingError("expected a string, not \(value.kindDescription)")
    }
    return string
  }

  func bytes(_ value: JSONValue) throws(TranscodingError) -> [UInt8] {
    guard let string = value.string else {
      throw TranscodingError("bytes are a base64 string in JSON, not \(value.kindDescription)")
    }
    guard let bytes = Base64.decode(string) else {
      throw TranscodingError("the string is not base64")
    }
    return bytes
  }

  func bool(_ value: JSONValue) throws(TranscodingError) -> Bool {
    guard case .bool(let bool) = value else {
      throw TranscodingError("expected true or false, not \(value.kindDescription)")
    }
    return bool
  }

  func integer<Integer: FixedWidthInteger>(
    _ value: JSONValue,
    _ type: Integer.Type
  ) throws(TranscodingError) -> Integer {
    guard let number = literal(value) else {
      throw TranscodingError("expected a whole number, not \(value.kindDescription)")
    }
    guard let integer = number.exactly(Integer.self) else {
      throw TranscodingError(
        "\(number.literal) is not a whole number from \(Integer.min) to \(Integer.max)"
      )
    }
    return integer
  }

  private func floatingPoint<Value: BinaryFloatingPoint>(
    _ value: JSONValue,
    _ type: Value.Type
  ) throws(TranscodingError) -> Value {
    switch value.string {
    case "NaN": return .nan
    case "Infinity": return .infinity
    case "-Infinity": return -.infinity
    default: break
    }
    guard let number = literal(value) else {
      throw TranscodingError("expected a number, not \(value.kindDescription)")
    }
    guard let double = number.double, Value(double).isFinite else {
      throw TranscodingError("\(number.literal) is out of range")
    }
    return Value(double)
  }

  /// A number, or a string that holds nothing but a number.
  private func literal(_ value: JSONValue) -> JSONNumber? {
    switch value {
    case .number(let number): number
    case .string(let string):
      string.first?.isWhitespace ?? true || string.last?.isWhitespace ?? true
        ? nil : (try? JSONValue(parsing: string))?.number
    default: nil
    }
  }

  private func enumNumber(_ value: JSONValue, of type: String) throws(TranscodingError) -> Int32 {
    switch value {
    case .null where type == "google.protobuf.NullValue": return 0
    case .number: return try integer(value, Int32.self)
    case .string(let name):
      guard let found = schema.enums[type]?.values.first(where: { $0.name == name }) else {
        throw TranscodingError("\(type) has no value '\(name)'")
      }
      return found.number
    default:
      throw TranscodingError(
        "expected the name or number of a value of \(type), not \(value.kindDescription)"
      )
    }
  }

  private func zigZag(_ value: Int64) -> UInt64 {
    UInt64(bitPattern: value << 1 ^ value >> 63)
  }
}
