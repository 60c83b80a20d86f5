internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf

extension FieldDictionary {
  /// How values are written.
  struct Style {
    /// Numbers are strings, for clients that would round them.
    var numbersAsStrings = false
    /// Where an asset's content is; `nil`: it is not offered.
    var downloadURL: ((TidingsV1.Asset) -> String?)?

    /// A time in milliseconds since 1970.
    func json(_ time: GoogleProtobuf.Timestamp) -> JSONValue {
      let text = time.millisecondsText
      if numbersAsStrings { return .string(text) }
      guard time.nanos % 1_000_000 != 0, let number = try? JSONValue(parsing: text) else {
        return .integer(time.milliseconds)
      }
      return number
    }
  }

  static func json(
    _ field: TidingsV1.FieldValue,
    _ style: Style,
    in database: WebDatabase
  ) -> JSONValue? {
    guard let (type, value) = typed(field, style, in: database) else { return nil }
    var object = JSONObject(capacity: 2)
    object.append("value", value)
    object.append("type", .string(type))
    return .object(object)
  }

  private static func typed(
    _ field: TidingsV1.FieldValue,
    _ style: Style,
    in database: WebDatabase
  ) -> (String, JSONValue)? {
    func reference(_ value: TidingsV1.Reference) -> JSONValue {
      ReferenceDictionary.json(value, in: database)
    }
    func asset(_ value: TidingsV1.Asset) -> JSONValue { AssetDictionary.json(value, style) }
    func integer(_ value: Int64) -> JSONValue {
      style.numbersAsStrings ? .string("\(value)") : .integer(value)
    }
    func double(_ value: Double) -> JSONValue {
      style.numbersAsStrings ? .string("\(value)") : .double(value)
    }
    func time(_ value: GoogleProtobuf.Timestamp) -> JSONValue { style.json(value) }
    func location(_ value: TidingsV1.Location) -> JSONValue {
      LocationDictionary.json(value, style)
    }
    func bytes(_ value: [UInt8]) -> JSONValue { .string(Base64.encode(value)) }
    return switch field.value {
    case nil: nil
    case .stringValue(let value)?: ("STRING", .string(value))
    case .int64Value(let value)?: ("INT64", integer(value))
    case .doubleValue(let value)?: ("DOUBLE", double(value))
    case .bytesValue(let value)?: ("BYTES", bytes(value))
    case .timestampValue(let value)?: ("TIMESTAMP", time(value))
    case .locationValue(let value)?: ("LOCATION", location(value))
    case .referenceValue(let value)?: ("REFERENCE", reference(value))
    case .assetValue(let value)?: ("ASSETID", asset(value))
    case .encryptedValue(let value)?: ("ENCRYPTED_BYTES", bytes(value.encoded()))
    case .stringListValue(let list)?: ("STRING_LIST", .array(list.values.map { .string($0) }))
    case .int64ListValue(let list)?: ("INT64_LIST", .array(list.values.map(integer)))
    case .doubleListValue(let list)?: ("DOUBLE_LIST", .array(list.values.map(double)))
    case .bytesListValue(let list)?: ("BYTES_LIST", .array(list.values.map(bytes)))
    case .timestampListValue(let list)?: ("TIMESTAMP_LIST", .array(list.values.map(time)))
    case .locationListValue(let list)?: ("LOCATION_LIST", .array(list.values.map(location)))
    case .referenceListValue(let list)?: ("REFERENCE_LIST", .array(list.values.map(reference)))
    case .assetListValue(let list)?: ("ASSETID_LIST", .array(list.values.map(asset)))
    case .unknownListValue?: ("UNKNOWN_LIST", .array([]))
    }
  }
}
