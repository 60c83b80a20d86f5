internal import TidingsWire

/// From the wire to JSON.
struct JSONDecoding {
  let schema: Schema
  let options: JSONTranscoder.Options

  func message(
    _ bytes: ArraySlice<UInt8>,
    of type: String,
    depth: Int
  ) throws(TranscodingError) -> JSONValue {
    guard depth <= JSONTranscoder.nestingMax else {
      throw TranscodingError("messages are nested more than \(JSONTranscoder.nestingMax) deep")
    }
    if let value = try wellKnown(bytes, of: type, depth: depth) { return value }
    return .object(try members(bytes, of: try schema.message(type), depth: depth))
  }

  /// The members of a message that has no form of its own in JSON.
  func members(
    _ bytes: ArraySlice<UInt8>,
    of message: Schema.Message,
    depth: Int
  ) throws(TranscodingError) -> JSONObject {
    let values = try collect(bytes, of: message)
    var object = JSONObject()
    for (field, values) in zip(message.fields, values) where field.kind != .group {
      let name = options.usesProtoNames ? field.name : field.jsonName
      let value = try within(field.name) { () throws(TranscodingError) in
        try self.value(values, of: field, depth: depth)
      }
      if let value { object.append(name, value) }
    }
    return object
  }

  /// The wire values of each field, as many as count.
  func collect(
    _ bytes: ArraySlice<UInt8>,
    of message: Schema.Message
  ) throws(TranscodingError) -> [[WireField]] {
    var values = [[WireField]](repeating: [], count: message.fields.count)
    var reader = WireReader(bytes)
    do {
      while let (number, value) = try reader.next() {
        guard let index = message.indexByNumber[number] else { continue }
        let field = message.fields[index]
        guard field.accepts(value) else { continue }
        if let oneof = field.oneofIndex, values[index].isEmpty {
          for other in message.fields.indices where message.fields[other].oneofIndex == oneof {
            values[other] = []
          }
        }
        values[index].append(value)
      }
    } catch {
      throw TranscodingError("the bytes are not a \(message.name)")
    }
    return values
  }

  /// The JSON of a field; `nil` leaves it out.
  private func value(
    _ values: [WireField],
    of field: FieldSchema,
    depth: Int
  ) throws(TranscodingError) -> JSONValue? {
    if field.isRepeated {
      if values.isEmpty, !options.writesDefaults { return nil }
      if field.kind == .message, let entry = schema.messages[field.typeName], entry.isMapEntry {
        return try map(values, of: entry, depth: depth)
      }
      return .array(try elements(values, of: field, depth: depth))
    }
    guard let last = values.last else {
      guard options.writesDefaults, !field.hasPresence else { return nil }
      return try single(nil, of: field, depth: depth)
    }
    if field.kind == .message {
      // Several occurrences of a singular message are merged, which concatenating does.
      let bytes = values.count == 1 ? last.content : values.flatMap { $0.content }[...]
      return try message(bytes, of: field.typeName, depth: depth + 1)
    }
    if !field.hasPresence, !options.writesDefaults, last.isDefault { return nil }
    return try single(last, of: field, depth: depth)
  }

  private func elements(
    _ values: [WireField],
    of field: FieldSchema,
    depth: Int
  ) throws(TranscodingError) -> [JSONValue] {
    var elements: [JSONValue] = []
    for value in values {
      let isPacked = field.kind.wireType != .delimited
      if case .bytes(let bytes) = value, isPacked {
        for value in try unpack(bytes, field.kind) {
          elements.append(try single(value, of: field, depth: depth))
        }
        continue
      }
      elements.append(
        try within("[\(elements.count)]") { () throws(TranscodingError) in
          try single(value, of: field, depth: depth)
        }
      )
    }
    return elements
  }

  private func unpack(
    _ bytes: ArraySlice<UInt8>,
    _ kind: FieldSchema.Kind
  ) throws(TranscodingError) -> [WireField] {
    var reader = WireReader(bytes)
    var values: [WireField] = []
    do {
      while !reader.isAtEnd {
        switch kind.wireType {
        case .varint: values.append(.varint(try reader.varint()))
        case .fixed64: values.append(.fixed64(try reader.fixed64()))
        default: values.append(.fixed32(try reader.fixed32()))
        }
      }
    } catch {
      throw TranscodingError("a packed list is damaged")
    }
    return values
  }

  private func map(
    _ values: [WireField],
    of entry: Schema.Message,
    depth: Int
  ) throws(TranscodingError) -> JSONValue {
    guard let keyField = entry.fields.first, let valueField = entry.fields.last else {
      throw TranscodingError("the schema of the map is damaged")
    }
    var object = JSONObject()
    // By bytes, because Swift holds differently composed strings for equal.
    var positions: [[UInt8]: Int] = [:]
    var results: [(key: String, value: JSONValue)] = []
    for value in values {
      let parts = try collect(value.content, of: entry)
      guard let keys = parts.first, let contents = parts.last else { continue }
      let key = try single(keys.last, of: keyField, depth: depth)
      let name = key.string ?? key.description
      let result = try within(TidingsJSON.entry(name)) { () throws(TranscodingError) in
        try single(contents.last, of: valueField, depth: depth)
      }
      if let position = positions[Array(name.utf8)] {
        results[position].value = result
      } else {
        positions[Array(name.utf8)] = results.count
        results.append((name, result))
      }
    }
    for (key, value) in results { object.append(key, value) }
    return .object(object)
  }

  /// The JSON of one value, or of the default.
  private func single(
    _ value: WireField?,
    of field: FieldSchema,
    depth: Int
  ) throws(TranscodingError) -> JSONValue {
    try single(value ?? field.kind.zero, of: field, depth: depth)
  }
}

extension FieldSchema {
  /// The wire type is the field's, or a packed list of it.
  fileprivate func accepts(_ value: WireField) -> Bool {
    switch (value, kind.wireType) {
    case (.varint, .varint), (.fixed64, .fixed64), (.fixed32, .fixed32): true
    case (.bytes, .delimited), (.group, .groupStart): true
    case (.bytes, .varint), (.bytes, .fixed64), (.bytes, .fixed32): isRepeated
    default: false
    }
  }
}

extension WireField {
  /// The bytes of a string, a message or a packed list.
  var content: ArraySlice<UInt8> {
    if case .bytes(let bytes) = self { bytes } else { [] }
  }

  fileprivate var isDefault: Bool {
    switch self {
    case .varint(let value): value == 0
    case .fixed64(let value): value == 0
    case .fixed32(let value): value == 0
    case .bytes(let bytes): bytes.isEmpty
    case .group: false
    }
  }
}
