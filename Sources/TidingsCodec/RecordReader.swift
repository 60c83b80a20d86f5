internal import CProtobufC
package import TidingsModel
internal import TidingsProto
package import TidingsProtoC
package import TidingsProtobuf
package import TidingsRPC

/// Reads domain values straight from protobuf-c's structs: no generated Swift value in between, since
/// every save and fetch comes through here.
///
/// The pointers live in the arena of the call. What is not valid is refused with the path to it.
package enum RecordReader {
  /// The text of a string field; `path` names it in the error.
  package static func string(
    _ bytes: ProtobufCBinaryData,
    _ path: @autoclosure () -> String
  )
    throws(RPCError) -> String
  {
    guard let text = Unpacked.validated(bytes) else {
      throw RPCError(.invalidArgument, "\(path()) is not valid UTF-8")
    }
    return text
  }

  /// The bytes of a bytes field.
  package static func bytes(_ bytes: ProtobufCBinaryData) -> [UInt8] {
    [UInt8](UnsafeBufferPointer(start: bytes.data, count: bytes.len))
  }

  /// A zone; the default one when none is named.
  package static func zoneID(
    _ message: UnsafeMutablePointer<Tidings__V1__ZoneID>?,
    _ path: @autoclosure () -> String
  ) throws(RPCError) -> ZoneID {
    guard let message else { return .default }
    let name = message.pointee.zone_name
    var zone =
      name.len > 0 ? ZoneID(zoneName: try string(name, path() + ".zone_name")) : .default
    if message.pointee.owner_name.len > 0 {
      zone.ownerName = try string(message.pointee.owner_name, path() + ".owner_name")
    }
    return zone
  }

  /// A record's name and zone.
  package static func recordID(
    _ message: UnsafeMutablePointer<Tidings__V1__RecordID>?,
    _ path: @autoclosure () -> String
  ) throws(RPCError) -> RecordID {
    guard let message else { return RecordID(recordName: "") }
    return RecordID(
      recordName: try string(message.pointee.record_name, path() + ".record_name"),
      zoneID: try zoneID(message.pointee.zone_id, path() + ".zone_id")
    )
  }

  /// A record in encoded form, as a client sends it or the store keeps it.
  package static func record(
    unpacking bytes: UnsafeRawBufferPointer,
    _ path: @autoclosure () -> String,
    in arena: borrowing Arena
  ) throws -> Record {
    let message = try TidingsV1.Record.unpack(bytes.bytes, in: arena)
    return try record(
      UnsafeMutableRawPointer(mutating: message).assumingMemoryBound(to: Tidings__V1__Record.self),
      path()
    )
  }

  /// A record, as a client sends it or the store keeps it.
  package static func record(
    _ message: UnsafeMutablePointer<Tidings__V1__Record>,
    _ path: @autoclosure () -> String
  ) throws(RPCError) -> Record {
    let source = message.pointee
    var fields: [RecordFields.Field] = []
    fields.reserveCapacity(source.n_fields)
    for index in 0..<source.n_fields {
      guard let entry = source.fields[index] else { continue }
      let name = try string(entry.pointee.key, "\(path()).fields")
      let value = try entry.pointee.value.flatMap { (value) throws(RPCError) in
        try fieldValue(value, "\(path()).fields['\(name)']")
      }
      fields.append(RecordFields.Field(name: name, value: value))
    }
    var record = Record(
      recordID: try recordID(source.record_id, "\(path()).record_id"),
      recordType: try string(source.record_type, "\(path()).record_type"),
      fields: RecordFields(fields)
    )
    record.changeTag = try string(source.change_tag, "\(path()).change_tag")
    record.created = try modification(source.created, "\(path()).created")
    record.modified = try modification(source.modified, "\(path()).modified")
    if let parent = source.parent {
      record.parent = try reference(parent, "\(path()).parent")
    }
    if let share = source.share { record.share = try self.share(share, "\(path()).share") }
    if source.share_record_name.len > 0 {
      record.shareRecordName = try string(
        source.share_record_name,
        "\(path()).share_record_name"
      )
    }
    return record
  }

  /// A field's value; `nil` for null.
  package static func fieldValue(
    _ message: UnsafeMutablePointer<Tidings__V1__FieldValue>,
    _ path: @autoclosure () -> String
  ) throws(RPCError) -> FieldValue? {
    let value = message.pointee
    switch value.value_case {
    case TIDINGS__V1__FIELD_VALUE__VALUE_STRING_VALUE:
      return .string(try string(value.string_value, path()))
    case TIDINGS__V1__FIELD_VALUE__VALUE_INT64_VALUE: return .int64(value.int64_value)
    case TIDINGS__V1__FIELD_VALUE__VALUE_DOUBLE_VALUE: return .double(value.double_value)
    case TIDINGS__V1__FIELD_VALUE__VALUE_BYTES_VALUE: return .bytes(bytes(value.bytes_value))
    case TIDINGS__V1__FIELD_VALUE__VALUE_TIMESTAMP_VALUE:
      return .timestamp(try timestamp(value.timestamp_value.pointee, path()))
    case TIDINGS__V1__FIELD_VALUE__VALUE_LOCATION_VALUE:
      return .location(try location(value.location_value, path()))
    case TIDINGS__V1__FIELD_VALUE__VALUE_REFERENCE_VALUE:
      return .reference(try reference(value.reference_value, path()))
    case TIDINGS__V1__FIELD_VALUE__VALUE_ASSET_VALUE: return .asset(asset(value.asset_value))
    case TIDINGS__V1__FIELD_VALUE__VALUE_UNKNOWN_LIST_VALUE: return .unknownList
    case TIDINGS__V1__FIELD_VALUE__VALUE_ENCRYPTED_VALUE:
      return .encrypted(try encrypted(value.encrypted_value.pointee, path()))
    case TIDINGS__V1__FIELD_VALUE__VALUE__NOT_SET:
      // A member that this server does not know must not be taken for null, which removes the field.
      guard value.base.n_unknown_fields == 0 else {
        throw RPCError(
          .invalidArgument,
          "\(path()) has a type that this server does not know: use one of FieldValue's types"
        )
      }
      return nil
    default: return try list(value, path())
    }
  }

  private static func list(
    _ value: Tidings__V1__FieldValue,
    _ path: @autoclosure () -> String
  )
    throws(RPCError) -> FieldValue
  {
    switch value.value_case {
    case TIDINGS__V1__FIELD_VALUE__VALUE_STRING_LIST_VALUE:
      let list = value.string_list_value.pointee
      return .stringList(
        try elements(list.values, list.n_values) { element throws(RPCError) in
          try string(element, path())
        }
      )
    case TIDINGS__V1__FIELD_VALUE__VALUE_INT64_LIST_VALUE:
      let list = value.int64_list_value.pointee
      return .int64List(Array(UnsafeBufferPointer(start: list.values, count: list.n_values)))
    case TIDINGS__V1__FIELD_VALUE__VALUE_DOUBLE_LIST_VALUE:
      let list = value.double_list_value.pointee
      return .doubleList(Array(UnsafeBufferPointer(start: list.values, count: list.n_values)))
    case TIDINGS__V1__FIELD_VALUE__VALUE_BYTES_LIST_VALUE:
      let list = value.bytes_list_value.pointee
      return .bytesList(
        try elements(list.values, list.n_values) { element throws(RPCError) in bytes(element) }
      )
    case TIDINGS__V1__FIELD_VALUE__VALUE_TIMESTAMP_LIST_VALUE:
      let list = value.timestamp_list_value.pointee
      return .timestampList(
        try members(list.values, list.n_values) { member throws(RPCError) in
          try timestamp(member.pointee, path())
        }
      )
    case TIDINGS__V1__FIELD_VALUE__VALUE_LOCATION_LIST_VALUE:
      let list = value.location_list_value.pointee
      return .locationList(
        try members(list.values, list.n_values) { member throws(RPCError) in
          try location(member, path())
        }
      )
    case TIDINGS__V1__FIELD_VALUE__VALUE_REFERENCE_LIST_VALUE:
      let list = value.reference_list_value.pointee
      return .referenceList(
        try members(list.values, list.n_values) { member throws(RPCError) in
          try reference(member, path())
        }
      )
    case TIDINGS__V1__FIELD_VALUE__VALUE_ASSET_LIST_VALUE:
      let list = value.asset_list_value.pointee
      return .assetList(
        try members(list.values, list.n_values) { member throws(RPCError) in asset(member) }
      )
    default: throw RPCError(.internal, "\(path()) has a type that this server does not read")
    }
  }

  private static func elements<C, Element>(
    _ start: UnsafeMutablePointer<C>?,
    _ count: Int,
    _ read: (C) throws(RPCError) -> Element
  ) throws(RPCError) -> [Element] {
    var result: [Element] = []
    result.reserveCapacity(count)
    for element in UnsafeBufferPointer(start: start, count: count) {
      result.append(try read(element))
    }
    return result
  }

  private static func members<C, Element>(
    _ start: UnsafeMutablePointer<UnsafeMutablePointer<C>?>?,
    _ count: Int,
    _ read: (UnsafeMutablePointer<C>) throws(RPCError) -> Element
  ) throws(RPCError) -> [Element] {
    var result: [Element] = []
    result.reserveCapacity(count)
    for case let member? in UnsafeBufferPointer(start: start, count: count) {
      result.append(try read(member))
    }
    return result
  }

  private static func modification(
    _ message: UnsafeMutablePointer<Tidings__V1__ModificationInfo>?,
    _ path: @autoclosure () -> String
  ) throws(RPCError) -> Record.ModificationInfo? {
    guard let message, let time = message.pointee.timestamp else { return nil }
    return Record.ModificationInfo(
      timestamp: try timestamp(time.pointee, path()),
      caller: Caller(
        user: try string(message.pointee.user_record_name, path()),
        device: try string(message.pointee.device_id, path())
      )
    )
  }

  /// A time.
  package static func timestamp(
    _ message: Google__Protobuf__Timestamp,
    _ path: @autoclosure () -> String
  )
    throws(RPCError) -> Timestamp
  {
    let limit: Int64 = 253_402_300_800
    guard (-62_135_596_800..<limit).contains(message.seconds),
      (0..<1_000_000_000).contains(message.nanos)
    else {
      throw RPCError(
        .invalidArgument,
        "\(path()) is not a time from 0001-01-01 to 9999-12-31 with 0 to 999,999,999 nanoseconds"
      )
    }
    return Timestamp(seconds: message.seconds, nanoseconds: message.nanos)
  }

  private static func location(
    _ message: UnsafeMutablePointer<Tidings__V1__Location>,
    _ path: @autoclosure () -> String
  ) throws(RPCError) -> Location {
    let source = message.pointee
    var location = Location(latitude: source.latitude, longitude: source.longitude)
    if source._horizontal_accuracy_case.rawValue != 0 {
      location.horizontalAccuracy = source.horizontal_accuracy
    }
    if source._vertical_accuracy_case.rawValue != 0 {
      location.verticalAccuracy = source.vertical_accuracy
    }
    if source._altitude_case.rawValue != 0 { location.altitude = source.altitude }
    if source._speed_case.rawValue != 0 { location.speed = source.speed }
    if source._course_case.rawValue != 0 { location.course = source.course }
    if let time = source.timestamp { location.timestamp = try timestamp(time.pointee, path()) }
    return location
  }

  private static func reference(
    _ message: UnsafeMutablePointer<Tidings__V1__Reference>,
    _ path: @autoclosure () -> String
  ) throws(RPCError) -> Reference {
    let number = Int32(bitPattern: message.pointee.action.rawValue)
    guard let action = number == 0 ? Reference.Action.none : Reference.Action(rawValue: number)
    else {
      throw RPCError(.invalidArgument, "\(path()).action \(number) is not a reference action")
    }
    return Reference(
      recordID: try recordID(message.pointee.record_id, path() + ".record_id"),
      action: action
    )
  }

  private static func encrypted(
    _ message: Tidings__V1__EncryptedValue,
    _ path: @autoclosure () -> String
  ) throws(RPCError) -> EncryptedValue {
    let number = Int32(bitPattern: message.type.rawValue)
    guard let type = EncryptedValue.ValueType(rawValue: number) else {
      throw RPCError(
        .invalidArgument,
        "\(path()).type \(number) is no type of encrypted values: use one of EncryptedType's"
      )
    }
    return EncryptedValue(type: type, keyID: bytes(message.key_id), sealed: bytes(message.sealed))
  }

  private static func asset(_ message: UnsafeMutablePointer<Tidings__V1__Asset>) -> Asset {
    Asset(checksum: bytes(message.pointee.checksum), size: message.pointee.size)
  }
}
