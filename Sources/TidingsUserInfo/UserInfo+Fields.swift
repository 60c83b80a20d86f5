internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf

extension JSONObject {
  /// Fields by name, in the order of their names.
  static func fields(_ fields: [String: TidingsV1.FieldValue]) -> JSONObject {
    var object = JSONObject()
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      object.append(name, value.plainJSON)
    }
    return object
  }
}

extension TidingsV1.FieldValue {
  /// The value without its type, as CloudKit has it: times are milliseconds since 1970, bytes Base64,
  /// references the name of their record, assets the checksum of their file.
  fileprivate var plainJSON: JSONValue {
    switch value {
    case .stringValue(let text): .string(text)
    case .int64Value(let number): .integer(number)
    case .doubleValue(let number): .plain(number)
    case .bytesValue(let bytes): .plain(bytes)
    case .timestampValue(let time): .plain(time)
    case .locationValue(let position): .plain(position)
    case .referenceValue(let reference): .plain(reference)
    case .assetValue(let asset): .plain(asset)
    case .stringListValue(let list): .array(list.values.map { .string($0) })
    case .int64ListValue(let list): .array(list.values.map { .integer($0) })
    case .doubleListValue(let list): .array(list.values.map { .plain($0) })
    case .bytesListValue(let list): .array(list.values.map { .plain($0) })
    case .timestampListValue(let list): .array(list.values.map { .plain($0) })
    case .locationListValue(let list): .array(list.values.map { .plain($0) })
    case .referenceListValue(let list): .array(list.values.map { .plain($0) })
    case .assetListValue(let list): .array(list.values.map { .plain($0) })
    case .unknownListValue: .array([])
    // Whoever has the key opens it with the type.
    case .encryptedValue(let value): .plain(value.sealed)
    case nil: .null
    }
  }
}

extension JSONValue {
  fileprivate static func plain(_ number: Double) -> Self {
    // JSON has no others.
    number.isFinite ? .double(number) : .null
  }

  fileprivate static func plain(_ bytes: [UInt8]) -> Self { .string(Base64.encode(bytes)) }

  fileprivate static func plain(_ time: GoogleProtobuf.Timestamp) -> Self {
    let (milliseconds, isTooBig) = time.seconds.multipliedReportingOverflow(by: 1000)
    return isTooBig ? .null : .integer(milliseconds &+ Int64(time.nanos / 1_000_000))
  }

  fileprivate static func plain(_ position: TidingsV1.Location) -> Self {
    .object(["latitude": .plain(position.latitude), "longitude": .plain(position.longitude)])
  }

  fileprivate static func plain(_ reference: TidingsV1.Reference) -> Self {
    .string(reference.recordID?.recordName ?? "")
  }

  fileprivate static func plain(_ asset: TidingsV1.Asset) -> Self {
    .string(Base64.encode(asset.checksum))
  }
}
