/// Message types of `google.protobuf` that have a form of their own in JSON.
enum WellKnownType: String {
  case timestamp = "Timestamp"
  case duration = "Duration"
  case fieldMask = "FieldMask"
  case any = "Any"
  case structure = "Struct"
  case value = "Value"
  case list = "ListValue"
  case double = "DoubleValue"
  case float = "FloatValue"
  case int64 = "Int64Value"
  case uint64 = "UInt64Value"
  case int32 = "Int32Value"
  case uint32 = "UInt32Value"
  case bool = "BoolValue"
  case string = "StringValue"
  case bytes = "BytesValue"

  init?(name: String) {
    let package = "google.protobuf."
    guard name.hasPrefix(package) else { return nil }
    self.init(rawValue: String(name.dropFirst(package.count)))
  }

  /// The one field of a wrapper.
  var wrapped: FieldSchema? {
    let kind: FieldSchema.Kind? =
      switch self {
      case .double: .double
      case .float: .float
      case .int64: .int64
      case .uint64: .uint64
      case .int32: .int32
      case .uint32: .uint32
      case .bool: .bool
      case .string: .string
      case .bytes: .bytes
      default: nil
      }
    return kind.map { kind in
      var field = FieldSchema()
      (field.name, field.jsonName, field.number, field.kind) = ("value", "value", 1, kind)
      return field
    }
  }

  /// In an Any, types with a form of their own stand under `value`.
  static func hasOwnForm(_ name: String) -> Bool { WellKnownType(name: name) != nil }
}

extension WellKnownType {
  /// The message type behind the last `/` of an Any's type URL.
  static func typeName(ofURL url: String) -> String {
    url.lastIndex(of: "/").map { String(url[url.index(after: $0)...]) } ?? url
  }
}
