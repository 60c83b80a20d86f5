internal import TidingsWire

extension JSONEncoding {
  /// The bytes of a message type with a form of its own; `nil` for any other type.
  func wellKnown(
    _ value: JSONValue,
    of type: String,
    depth: Int
  ) throws(TranscodingError) -> [UInt8]? {
    guard let known = WellKnownType(name: type) else { return nil }
    var writer = WireWriter()
    switch known {
    case .timestamp:
      guard let time = JSONTime(timestamp: try string(value)) else {
        throw TranscodingError("a time looks like \"2026-01-02T03:04:05.678Z\"")
      }
      writer.time(time)
    case .duration:
      guard let time = JSONTime(duration: try string(value)) else {
        throw TranscodingError("a duration looks like \"1.5s\"")
      }
      writer.time(time)
    case .fieldMask:
      for path in try string(value).split(separator: ",") {
        writer.tag(1, .delimited)
        writer.delimited(Array(lowerSnake(path).utf8))
      }
    case .any: return try any(value, depth: depth)
    case .structure: try write(structure: value, to: &writer, depth: depth)
    case .value: try write(value: value, to: &writer, depth: depth)
    case .list:
      guard let elements = value.array else {
        throw TranscodingError("expected an array, not \(value.kindDescription)")
      }
      for (index, element) in elements.enumerated() {
        let bytes = try within("[\(index)]") { () throws(TranscodingError) in
          try message(element, of: "google.protobuf.Value", depth: depth + 1)
        }
        writer.tag(1, .delimited)
        writer.delimited(bytes)
      }
    default:
      guard let field = known.wrapped else { return nil }
      let payload = try payload(value, of: field, depth: depth)
      if !payload.allSatisfy({ $0 == 0 }) {
        writer.tag(field.number, field.kind.wireType)
        writer.append(payload)
      }
    }
    return writer.bytes
  }

  private func write(
    structure value: JSONValue,
    to writer: inout WireWriter,
    depth: Int
  ) throws(TranscodingError) {
    guard let object = value.object else {
      throw TranscodingError("expected an object, not \(value.kindDescription)")
    }
    let sorted = object.members.sorted {
      $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }
    for member in sorted {
      var entry = WireWriter()
      entry.tag(1, .delimited)
      entry.delimited(Array(member.name.utf8))
      entry.tag(2, .delimited)
      entry.delimited(
        try within(TidingsJSON.entry(member.name)) { () throws(TranscodingError) in
          try message(member.value, of: "google.protobuf.Value", depth: depth + 1)
        }
      )
      writer.tag(1, .delimited)
      writer.delimited(entry.bytes)
    }
  }

  private func write(
    value: JSONValue,
    to writer: inout WireWriter,
    depth: Int
  ) throws(TranscodingError) {
    switch value {
    case .null:
      writer.tag(1, .varint)
      writer.varint(0)
    case .number(let number):
      guard let double = number.double else {
        throw TranscodingError("\(number.literal) is out of range")
      }
      writer.tag(2, .fixed64)
      writer.fixed(double.bitPattern)
    case .string(let string):
      writer.tag(3, .delimited)
      writer.delimited(Array(string.utf8))
    case .bool(let bool):
      writer.tag(4, .varint)
      writer.varint(bool ? 1 : 0)
    case .object:
      writer.tag(5, .delimited)
      writer.delimited(try message(value, of: "google.protobuf.Struct", depth: depth + 1))
    case .array:
      writer.tag(6, .delimited)
      writer.delimited(try message(value, of: "google.protobuf.ListValue", depth: depth + 1))
    }
  }

  private func any(_ value: JSONValue, depth: Int) throws(TranscodingError) -> [UInt8] {
    guard let object = value.object else {
      throw TranscodingError("expected an object with \"@type\"")
    }
    if object.members.isEmpty { return [] }
    guard let url = object["@type"]?.string else {
      throw TranscodingError("\"@type\" is missing")
    }
    let type = WellKnownType.typeName(ofURL: url)
    let others = object.members.filter { $0.name != "@type" }
    let content: [UInt8]
    if !WellKnownType.hasOwnForm(type), let known = schema.messages[type] {
      guard depth < JSONTranscoder.nestingMax else {
        throw TranscodingError("messages are nested more than \(JSONTranscoder.nestingMax) deep")
      }
      content = try members(others, of: known, depth: depth + 1)
    } else {
      guard others.count == 1, let inner = object["value"] else {
        throw TranscodingError("expected exactly \"value\" next to \"@type\": \"\(url)\"")
      }
      content = try within("value") { () throws(TranscodingError) in
        WellKnownType.hasOwnForm(type)
          ? try message(inner, of: type, depth: depth + 1) : try bytes(inner)
      }
    }
    var writer = WireWriter()
    writer.tag(1, .delimited)
    writer.delimited(Array(url.utf8))
    if !content.isEmpty {
      writer.tag(2, .delimited)
      writer.delimited(content)
    }
    return writer.bytes
  }
}

extension WireWriter {
  fileprivate mutating func time(_ time: JSONTime) {
    for (number, count) in [(1, time.seconds), (2, Int64(time.nanoseconds))] where count != 0 {
      tag(number, .varint)
      varint(UInt64(bitPattern: count))
    }
  }
}

/// The name in the .proto of a name in JSON, as FieldMask has it.
private func lowerSnake(_ name: some StringProtocol) -> String {
  var result = ""
  for character in name {
    result += character.isUppercase ? "_" + character.lowercased() : String(character)
  }
  return result
}
