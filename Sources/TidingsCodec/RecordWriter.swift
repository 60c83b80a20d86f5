internal import CProtobufC
package import TidingsModel
package import TidingsProtoC
package import TidingsProtobuf

/// Builds protobuf-c's structs from domain values, in the arena: the counterpart of `RecordReader`.
package enum RecordWriter {
  /// The bytes of a record: its system fields and, unless they are left out, its fields.
  package static func encode(
    _ record: Record,
    withFields: Bool = true,
    in arena: borrowing Arena
  )
    -> [UInt8]
  {
    let message = arena.allocate(Tidings__V1__Record.self)
    tidings__v1__record__init(message)
    message.pointee.record_id = recordID(record.recordID, in: arena)
    message.pointee.record_type = arena.packed(record.recordType)
    message.pointee.change_tag = arena.packed(record.changeTag)
    message.pointee.created = modification(record.created, in: arena)
    message.pointee.modified = modification(record.modified, in: arena)
    if let parent = record.parent { message.pointee.parent = reference(parent, in: arena) }
    if let share = record.share { message.pointee.share = self.share(share, in: arena) }
    if !record.shareRecordName.isEmpty {
      message.pointee.share_record_name = arena.packed(record.shareRecordName)
    }

    guard withFields else { return arena.pack(message) }
    let fields = record.fields.sorted
    message.pointee.n_fields = fields.count
    message.pointee.fields = pointers(fields.count, in: arena) { index in
      let entry = arena.allocate(Tidings__V1__Record__FieldsEntry.self)
      tidings__v1__record__fields_entry__init(entry)
      entry.pointee.key = arena.packed(fields[index].name)
      entry.pointee.value = fieldValue(fields[index].value, in: arena)
      return entry
    }
    return arena.pack(message)
  }

  /// A record's name and zone.
  ///
  /// The default zone is left out.
  package static func recordID(
    _ id: RecordID,
    in arena: borrowing Arena
  )
    -> UnsafeMutablePointer<Tidings__V1__RecordID>
  {
    let message = arena.allocate(Tidings__V1__RecordID.self)
    tidings__v1__record_id__init(message)
    message.pointee.record_name = arena.packed(id.recordName)
    if id.zoneID != .default {
      let zone = arena.allocate(Tidings__V1__ZoneID.self)
      tidings__v1__zone_id__init(zone)
      zone.pointee.zone_name = arena.packed(id.zoneID.zoneName)
      if !id.zoneID.ownerName.isEmpty {
        zone.pointee.owner_name = arena.packed(id.zoneID.ownerName)
      }
      message.pointee.zone_id = zone
    }
    return message
  }

  /// A field's value; `nil` is null.
  package static func fieldValue(
    _ value: FieldValue?,
    in arena: borrowing Arena
  )
    -> UnsafeMutablePointer<Tidings__V1__FieldValue>
  {
    let message = arena.allocate(Tidings__V1__FieldValue.self)
    tidings__v1__field_value__init(message)
    switch value {
    case nil: break
    case .string(let text):
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_STRING_VALUE
      message.pointee.string_value = arena.packed(text)
    case .int64(let number):
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_INT64_VALUE
      message.pointee.int64_value = number
    case .double(let number):
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_DOUBLE_VALUE
      message.pointee.double_value = number
    case .bytes(let bytes):
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_BYTES_VALUE
      message.pointee.bytes_value = arena.packed(bytes)
    case .timestamp(let time):
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_TIMESTAMP_VALUE
      message.pointee.timestamp_value = timestamp(time, in: arena)
    case .location(let position):
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_LOCATION_VALUE
      message.pointee.location_value = location(position, in: arena)
    case .reference(let target):
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_REFERENCE_VALUE
      message.pointee.reference_value = reference(target, in: arena)
    case .asset(let file):
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_ASSET_VALUE
      message.pointee.asset_value = asset(file, in: arena)
    case .encrypted(let value):
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_ENCRYPTED_VALUE
      message.pointee.encrypted_value = encrypted(value, in: arena)
    case let list?: setList(list, of: message, in: arena)
    }
    return message
  }

  private static func setList(
    _ value: FieldValue,
    of message: UnsafeMutablePointer<Tidings__V1__FieldValue>,
    in arena: borrowing Arena
  ) {
    switch value {
    case .stringList(let texts):
      let list = arena.allocate(Tidings__V1__StringList.self)
      tidings__v1__string_list__init(list)
      list.pointee.n_values = texts.count
      list.pointee.values = values(texts.count, in: arena) { arena.packed(texts[$0]) }
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_STRING_LIST_VALUE
      message.pointee.string_list_value = list
    case .int64List(let numbers):
      let list = arena.allocate(Tidings__V1__Int64List.self)
      tidings__v1__int64_list__init(list)
      list.pointee.n_values = numbers.count
      list.pointee.values = values(numbers.count, in: arena) { numbers[$0] }
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_INT64_LIST_VALUE
      message.pointee.int64_list_value = list
    case .doubleList(let numbers):
      let list = arena.allocate(Tidings__V1__DoubleList.self)
      tidings__v1__double_list__init(list)
      list.pointee.n_values = numbers.count
      list.pointee.values = values(numbers.count, in: arena) { numbers[$0] }
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_DOUBLE_LIST_VALUE
      message.pointee.double_list_value = list
    case .bytesList(let strings):
      let list = arena.allocate(Tidings__V1__BytesList.self)
      tidings__v1__bytes_list__init(list)
      list.pointee.n_values = strings.count
      list.pointee.values = values(strings.count, in: arena) { arena.packed(strings[$0]) }
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_BYTES_LIST_VALUE
      message.pointee.bytes_list_value = list
    case .timestampList(let times):
      let list = arena.allocate(Tidings__V1__TimestampList.self)
      tidings__v1__timestamp_list__init(list)
      list.pointee.n_values = times.count
      list.pointee.values = pointers(times.count, in: arena) { timestamp(times[$0], in: arena) }
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_TIMESTAMP_LIST_VALUE
      message.pointee.timestamp_list_value = list
    case .locationList(let positions):
      let list = arena.allocate(Tidings__V1__LocationList.self)
      tidings__v1__location_list__init(list)
      list.pointee.n_values = positions.count
      list.pointee.values = pointers(positions.count, in: arena) {
        location(positions[$0], in: arena)
      }
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_LOCATION_LIST_VALUE
      message.pointee.location_list_value = list
    case .referenceList(let targets):
      let list = arena.allocate(Tidings__V1__ReferenceList.self)
      tidings__v1__reference_list__init(list)
      list.pointee.n_values = targets.count
      list.pointee.values = pointers(targets.count, in: arena) { reference(targets[$0], in: arena) }
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_REFERENCE_LIST_VALUE
      message.pointee.reference_list_value = list
    case .assetList(let files):
      let list = arena.allocate(Tidings__V1__AssetList.self)
      tidings__v1__asset_list__init(list)
      list.pointee.n_values = files.count
      list.pointee.values = pointers(files.count, in: arena) { asset(files[$0], in: arena) }
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_ASSET_LIST_VALUE
      message.pointee.asset_list_value = list
    default:
      let list = arena.allocate(Tidings__V1__UnknownList.self)
      tidings__v1__unknown_list__init(list)
      message.pointee.value_case = TIDINGS__V1__FIELD_VALUE__VALUE_UNKNOWN_LIST_VALUE
      message.pointee.unknown_list_value = list
    }
  }

  private static func modification(
    _ modification: Record.ModificationInfo?,
    in arena: borrowing Arena
  )
    -> UnsafeMutablePointer<Tidings__V1__ModificationInfo>?
  {
    guard let modification else { return nil }
    let message = arena.allocate(Tidings__V1__ModificationInfo.self)
    tidings__v1__modification_info__init(message)
    message.pointee.timestamp = timestamp(modification.timestamp, in: arena)
    message.pointee.user_record_name = arena.packed(modification.caller.user)
    message.pointee.device_id = arena.packed(modification.caller.device)
    return message
  }

  package static func timestamp(
    _ time: Timestamp,
    in arena: borrowing Arena
  )
    -> UnsafeMutablePointer<Google__Protobuf__Timestamp>
  {
    let message = arena.allocate(Google__Protobuf__Timestamp.self)
    google__protobuf__timestamp__init(message)
    (message.pointee.seconds, message.pointee.nanos) = (time.seconds, time.nanoseconds)
    return message
  }

  private static func location(
    _ position: Location,
    in arena: borrowing Arena
  )
    -> UnsafeMutablePointer<Tidings__V1__Location>
  {
    let message = arena.allocate(Tidings__V1__Location.self)
    tidings__v1__location__init(message)
    message.pointee.latitude = position.latitude
    message.pointee.longitude = position.longitude
    if let value = position.horizontalAccuracy {
      message.pointee._horizontal_accuracy_case =
        TIDINGS__V1__LOCATION___HORIZONTAL_ACCURACY_HORIZONTAL_ACCURACY
      message.pointee.horizontal_accuracy = value
    }
    if let value = position.verticalAccuracy {
      message.pointee._vertical_accuracy_case =
        TIDINGS__V1__LOCATION___VERTICAL_ACCURACY_VERTICAL_ACCURACY
      message.pointee.vertical_accuracy = value
    }
    if let value = position.altitude {
      message.pointee._altitude_case = TIDINGS__V1__LOCATION___ALTITUDE_ALTITUDE
      message.pointee.altitude = value
    }
    if let value = position.speed {
      message.pointee._speed_case = TIDINGS__V1__LOCATION___SPEED_SPEED
      message.pointee.speed = value
    }
    if let value = position.course {
      message.pointee._course_case = TIDINGS__V1__LOCATION___COURSE_COURSE
      message.pointee.course = value
    }
    if let time = position.timestamp { message.pointee.timestamp = timestamp(time, in: arena) }
    return message
  }

  private static func reference(
    _ target: Reference,
    in arena: borrowing Arena
  )
    -> UnsafeMutablePointer<Tidings__V1__Reference>
  {
    let message = arena.allocate(Tidings__V1__Reference.self)
    tidings__v1__reference__init(message)
    message.pointee.record_id = recordID(target.recordID, in: arena)
    message.pointee.action = Tidings__V1__ReferenceAction(rawValue: UInt32(target.action.rawValue))
    return message
  }

  private static func encrypted(
    _ value: EncryptedValue,
    in arena: borrowing Arena
  )
    -> UnsafeMutablePointer<Tidings__V1__EncryptedValue>
  {
    let message = arena.allocate(Tidings__V1__EncryptedValue.self)
    tidings__v1__encrypted_value__init(message)
    message.pointee.type = Tidings__V1__EncryptedType(rawValue: UInt32(value.type.rawValue))
    message.pointee.key_id = arena.packed(value.keyID)
    message.pointee.sealed = arena.packed(value.sealed)
    return message
  }

  private static func asset(
    _ file: Asset,
    in arena: borrowing Arena
  )
    -> UnsafeMutablePointer<Tidings__V1__Asset>
  {
    let message = arena.allocate(Tidings__V1__Asset.self)
    tidings__v1__asset__init(message)
    message.pointee.checksum = arena.packed(file.checksum)
    message.pointee.size = file.size
    return message
  }

  package static func values<C: BitwiseCopyable>(
    _ count: Int,
    in arena: borrowing Arena,
    _ make: (Int) -> C
  ) -> UnsafeMutablePointer<C> {
    let start = arena.allocate(C.self, count: count)
    for index in 0..<count { start[index] = make(index) }
    return start
  }

  package static func pointers<C>(
    _ count: Int,
    in arena: borrowing Arena,
    _ make: (Int) -> UnsafeMutablePointer<C>
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<C>?> {
    let start = arena.allocate(UnsafeMutablePointer<C>?.self, count: count)
    for index in 0..<count { start[index] = make(index) }
    return start
  }
}
