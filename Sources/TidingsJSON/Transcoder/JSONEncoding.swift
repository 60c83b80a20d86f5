internal import TidingsWire

/// From JSON to the wire.
struct JSONEncoding {
  let schema: Schema
  let options: JSONTranscoder.Options

  func message(
    _ value: JSONValue,
    of type: String,
    depth: Int
  ) throws(TranscodingError) -> [UInt8] {
    guard depth <= JSONTranscoder.nestingMax else {
      throw TranscodingError("messages are nested more than \(JSONTranscoder.nestingMax) deep")
    }
    if let bytes = try wellKnown(value, of: type, depth: depth) { return bytes }
    let message = try schema.message(type)
    guard let object = value.object else {
      throw TranscodingError("\(type) is an object in JSON, not \(value.kindDescription)")
    }
    return try members(object.members, of: message, depth: depth)
  }

  /// Encodes the members of an object as the fields of a message.
  func members(
    _ members: [JSONObject.Member],
    of message: Schema.Message,
    depth: Int
  ) throws(TranscodingError) -> [UInt8] {
    var writer = WireWriter()
    for (index, value) in try assign(members, of: message) {
      let field = message.fields[index]
      try within(field.jsonName) { () throws(TranscodingError) in
        try write(value, of: field, to: &writer, depth: depth)
      }
    }
    return writer.bytes
  }

  /// Finds the field of each member; sorted by number.
  private func assign(
    _ members: [JSONObject.Member],
    of message: Schema.Message
  ) throws(TranscodingError) -> [(index: Int, value: JSONValue)] {
    var assigned: [Int: JSONValue] = [:]
    var oneofs: [Int: String] = [:]
    for member in members {
      guard let index = message.indexByName[member.name] else {
        if options.ignoresUnknownMembers { continue }
        throw TranscodingError("\(message.name) has no such field").inside(member.name)
      }
      let field = message.fields[index]
      if member.value == .null, !takesNull(field) { continue }
      guard assigned.updateValue(member.value, forKey: index) == nil else {
        throw TranscodingError("the field appears twice, under both of its names")
          .inside(member.name)
      }
      guard let oneof = field.oneofIndex else { continue }
      if let other = oneofs.updateValue(member.name, forKey: oneof) {
        throw TranscodingError(
          "only one of '\(other)' and '\(member.name)' can be set (oneof "
            + "\(message.oneofs.indices.contains(oneof) ? message.oneofs[oneof] : "?"))"
        ).inside(member.name)
      }
    }
    return assigned.map { (index: $0.key, value: $0.value) }
      .sorted { message.fields[$0.index].number < message.fields[$1.index].number }
  }

  /// null is a value of its own, not an absent field.
  private func takesNull(_ field: FieldSchema) -> Bool {
    !field.isRepeated
      && (field.typeName == "google.protobuf.Value"
        || field.typeName == "google.protobuf.NullValue")
  }

  private func write(
    _ value: JSONValue,
    of field: FieldSchema,
    to writer: inout WireWriter,
    depth: Int
  ) throws(TranscodingError) {
    guard field.isRepeated else {
      let payload = try payload(value, of: field, depth: depth)
      if field.hasPresence || !isDefault(payload) {
        writer.tag(field.number, field.kind.wireType)
        writer.append(payload)
      }
      return
    }
    if field.kind == .message, let entry = schema.messages[field.typeName], entry.isMapEntry {
      return try writeMap(value, of: field, entry: entry, to: &writer, depth: depth)
    }
    guard let elements = value.array else {
      throw TranscodingError("a list is an array in JSON, not \(value.kindDescription)")
    }
    var payloads: [[UInt8]] = []
    for (index, element) in elements.enumerated() {
      payloads.append(
        try within("[\(index)]") { () throws(TranscodingError) in
          try payload(element, of: field, depth: depth)
        }
      )
    }
    if field.isPacked {
      guard !payloads.isEmpty else { return }
      writer.tag(field.number, .delimited)
      writer.delimited(payloads.flatMap(\.self))
    } else {
      for payload in payloads {
        writer.tag(field.number, field.kind.wireType)
        writer.append(payload)
      }
    }
  }

  private func writeMap(
    _ value: JSONValue,
    of field: FieldSchema,
    entry: Schema.Message,
    to writer: inout WireWriter,
    depth: Int
  ) throws(TranscodingError) {
    guard let object = value.object else {
      throw TranscodingError("a map is an object in JSON, not \(value.kindDescription)")
    }
    guard let keyField = entry.fields.first, let valueField = entry.fields.last else {
      throw TranscodingError("the schema of the map is damaged")
    }
    let sorted = object.members.sorted {
      $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }
    for member in sorted {
      var content = WireWriter()
      try within(TidingsJSON.entry(member.name)) { () throws(TranscodingError) in
        let key = mapKey(member.name, keyField.kind)
        content.tag(1, keyField.kind.wireType)
        content.append(try payload(key, of: keyField, depth: depth))
        content.tag(2, valueField.kind.wireType)
        content.append(try payload(member.value, of: valueField, depth: depth))
      }
      writer.tag(field.number, .delimited)
      writer.delimited(content.bytes)
    }
  }

  /// Keys are strings in JSON, whatever their type.
  private func mapKey(_ name: String, _ kind: FieldSchema.Kind) -> JSONValue {
    if kind == .bool, let bool = Bool(name) { return .bool(bool) }
    return .string(name)
  }

  /// proto3's default: zero, or a length of zero.
  private func isDefault(_ payload: [UInt8]) -> Bool { payload.allSatisfy { $0 == 0 } }
}
