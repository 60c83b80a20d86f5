internal import TidingsWire

extension JSONDecoding {
  /// The JSON of a message type with a form of its own; `nil` for any other type.
  func wellKnown(
    _ bytes: ArraySlice<UInt8>,
    of type: String,
    depth: Int
  ) throws(TranscodingError) -> JSONValue? {
    guard let known = WellKnownType(name: type) else { return nil }
    let fields = try fields(of: bytes, type)
    switch known {
    case .timestamp:
      guard let text = time(fields).timestampText else {
        throw TranscodingError("the time is outside the years 1 to 9999")
      }
      return .string(text)
    case .duration:
      guard let text = time(fields).durationText else {
        throw TranscodingError("the duration is out of range")
      }
      return .string(text)
    case .fieldMask:
      let paths = fields.messages(1).map { lowerCamel(String(decoding: $0, as: UTF8.self)) }
      return .string(paths.joined(separator: ","))
    case .any: return try any(fields, depth: depth)
    case .structure: return try structure(fields, depth: depth)
    case .value: return try dynamicValue(bytes, depth: depth)
    case .list:
      var elements: [JSONValue] = []
      for element in fields.messages(1) {
        elements.append(try message(element, of: "google.protobuf.Value", depth: depth + 1))
      }
      return .array(elements)
    default: return try wrapper(bytes, known)
    }
  }

  private func fields(
    of bytes: ArraySlice<UInt8>,
    _ type: String
  ) throws(TranscodingError) -> DescriptorFields {
    do {
      return try DescriptorFields(bytes)
    } catch {
      throw TranscodingError("the bytes are not a \(type)")
    }
  }

  private func time(_ fields: DescriptorFields) -> JSONTime {
    JSONTime(
      seconds: Int64(fields.integer(1) ?? 0),
      nanoseconds: Int32(truncatingIfNeeded: fields.integer(2) ?? 0)
    )
  }

  private func wrapper(
    _ bytes: ArraySlice<UInt8>,
    _ known: WellKnownType
  ) throws(TranscodingError) -> JSONValue? {
    guard let field = known.wrapped else { return nil }
    let message = Schema.Message(
      name: known.rawValue,
      fields: [field],
      oneofs: [],
      isMapEntry: false,
      nestedMessages: [],
      nestedEnums: [],
      comment: ""
    )
    let value = try collect(bytes, of: message)[0].last ?? field.kind.zero
    return try single(value, of: field, depth: 1)
  }

  private func any(_ fields: DescriptorFields, depth: Int) throws(TranscodingError) -> JSONValue {
    let url = fields.string(1)
    if url.isEmpty { return .object(JSONObject()) }
    let type = WellKnownType.typeName(ofURL: url)
    let content = fields.messages(2).last ?? []
    var object: JSONObject = ["@type": .string(url)]
    if WellKnownType.hasOwnForm(type) {
      object.append("value", try message(content, of: type, depth: depth + 1))
    } else if let known = schema.messages[type] {
      guard depth < JSONTranscoder.nestingMax else {
        throw TranscodingError("messages are nested more than \(JSONTranscoder.nestingMax) deep")
      }
      for member in try members(content, of: known, depth: depth + 1).members {
        object.append(member.name, member.value)
      }
    } else {
      // The mapping refuses types that it does not know; showing the bytes helps more.
      object.append("value", .string(Base64.encode(content)))
    }
    return .object(object)
  }

  private func structure(
    _ fields: DescriptorFields,
    depth: Int
  ) throws(TranscodingError) -> JSONValue {
    var members: [(name: String, value: JSONValue)] = []
    var positions: [[UInt8]: Int] = [:]
    for entry in fields.messages(1) {
      let parts = try self.fields(of: entry, "google.protobuf.Struct")
      let name = try text(parts.messages(1).last ?? [])
      let value = try message(
        parts.messages(2).last ?? [],
        of: "google.protobuf.Value",
        depth: depth + 1
      )
      if let position = positions[Array(name.utf8)] {
        members[position].value = value
      } else {
        positions[Array(name.utf8)] = members.count
        members.append((name, value))
      }
    }
    var object = JSONObject()
    for member in members { object.append(member.name, member.value) }
    return .object(object)
  }

  /// A `google.protobuf.Value`: the last field set counts.
  private func dynamicValue(
    _ bytes: ArraySlice<UInt8>,
    depth: Int
  ) throws(TranscodingError) -> JSONValue {
    var reader = WireReader(bytes)
    var last: (field: Int, value: WireField)?
    do {
      while let field = try reader.next() { last = field }
    } catch {
      throw TranscodingError("the bytes are not a google.protobuf.Value")
    }
    switch (last?.field, last?.value) {
    case (2, .fixed64(let bits)):
      guard Double(bitPattern: bits).isFinite else {
        throw TranscodingError("google.protobuf.Value has no NaN and no infinities in JSON")
      }
      return .double(Double(bitPattern: bits))
    case (3, .bytes(let bytes)): return .string(try text(bytes))
    case (4, .varint(let bits)): return .bool(bits != 0)
    case (5, .bytes(let bytes)):
      return try message(bytes, of: "google.protobuf.Struct", depth: depth + 1)
    case (6, .bytes(let bytes)):
      return try message(bytes, of: "google.protobuf.ListValue", depth: depth + 1)
    default: return .null
    }
  }
}

extension FieldSchema.Kind {
  /// The default of a type.
  var zero: WireField {
    switch wireType {
    case .varint: .varint(0)
    case .fixed64: .fixed64(0)
    case .fixed32: .fixed32(0)
    default: .bytes([])
    }
  }
}
