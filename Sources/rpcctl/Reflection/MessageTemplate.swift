internal import TidingsJSON

/// A message in JSON with all its fields, as a template.
struct MessageTemplate {
  /// Maximum nesting depth; deeper messages are empty.
  private static let depthMax = 6

  private let schema: Schema
  /// The messages being written: recursive ones are left empty.
  private var open: [String] = []

  /// Returns the template of a message by its full name.
  ///
  /// Of a oneof only the first field is included; lists and maps have one member.
  static func json(_ name: String, _ schema: Schema) -> JSONValue {
    var template = MessageTemplate(schema: schema)
    return template.message(name)
  }

  private init(schema: Schema) { self.schema = schema }

  private mutating func message(_ name: String) -> JSONValue {
    if let value = Self.wellKnown[name] { return value }
    guard let message = schema.messages[name], !open.contains(name), open.count < Self.depthMax
    else { return .object([:]) }
    open.append(name)
    defer { open.removeLast() }
    var object: JSONObject = [:]
    var oneofs: Set<Int> = []
    for field in message.fields {
      if let oneof = field.oneofIndex, !field.isOptional, !oneofs.insert(oneof).inserted {
        continue
      }
      object.append(field.jsonName, self.field(field))
    }
    return .object(object)
  }

  private mutating func field(_ field: FieldSchema) -> JSONValue {
    if let entry = schema.messages[field.typeName], entry.isMapEntry, entry.fields.count == 2 {
      return .object([key(entry.fields[0]): value(entry.fields[1])])
    }
    guard field.isRepeated else { return value(field) }
    // Recursion ends here.
    return open.contains(field.typeName) ? .array([]) : .array([value(field)])
  }

  private mutating func value(_ field: FieldSchema) -> JSONValue {
    switch field.kind {
    case .message, .group: message(field.typeName)
    case .enum: .string(schema.enums[field.typeName]?.values.first?.name ?? "")
    case .string, .bytes: .string("")
    case .bool: .bool(false)
    // 64-bit numbers are strings in proto3's JSON.
    case .int64, .uint64, .fixed64, .sfixed64, .sint64: .string("0")
    case .double, .float: .double(0)
    case .int32, .uint32, .fixed32, .sfixed32, .sint32: .integer(0)
    }
  }

  private func key(_ field: FieldSchema) -> String {
    switch field.kind {
    case .string: "key"
    case .bool: "true"
    default: "0"
    }
  }

  private static let wellKnown: [String: JSONValue] = [
    "google.protobuf.Timestamp": .string("2027-01-31T12:00:00Z"),
    "google.protobuf.Duration": .string("1s"),
    "google.protobuf.FieldMask": .string(""),
    "google.protobuf.Any": .object([
      "@type": .string("type.googleapis.com/google.protobuf.Duration"), "value": .string("1s"),
    ]),
    "google.protobuf.Struct": .object([:]),
    "google.protobuf.Value": .string(""),
    "google.protobuf.ListValue": .array([]),
    "google.protobuf.DoubleValue": .double(0),
    "google.protobuf.FloatValue": .double(0),
    "google.protobuf.Int64Value": .string("0"),
    "google.protobuf.UInt64Value": .string("0"),
    "google.protobuf.Int32Value": .integer(0),
    "google.protobuf.UInt32Value": .integer(0),
    "google.protobuf.BoolValue": .bool(false),
    "google.protobuf.StringValue": .string(""),
    "google.protobuf.BytesValue": .string(""),
  ]
}
