package import TidingsModel
internal import TidingsProto
internal import TidingsWire

private typealias Field = TidingsV1.Record.FieldNumber
private typealias IDField = TidingsV1.RecordID.FieldNumber
private typealias ZoneIDField = TidingsV1.ZoneID.FieldNumber
private typealias ModificationField = TidingsV1.ModificationInfo.FieldNumber

/// The members of an entry of any map.
enum MapEntry {
  static let key = 1
  static let value = 2
}

/// Writes records on the wire: the counterpart of `RecordReader`.
///
/// Every save writes a record, so nothing stands between the domain value and its bytes. Members come in the order
/// of their numbers, and fields in the order of their names, so that equal records have equal bytes.
package enum RecordWriter {
  /// The bytes of a record: its system fields and, unless they are left out, its fields.
  package static func encode(_ record: Record, withFields: Bool = true) -> [UInt8] {
    WireCursor.bytes(atMost: record.wireBytesMax(withFields: withFields)) {
      $0.addMembers(of: record, withFields: withFields)
    }
  }

  /// The bytes of a result of a call: a record that was saved, with its system fields.
  package static func encodeResult(_ record: Record) -> [UInt8] {
    typealias Field = TidingsV1.RecordResult.FieldNumber
    let bytesMax =
      record.wireBytesMax(withFields: false) + record.recordID.wireBytesMax
      + 2 * WireCursor.fieldBytesMax
    return WireCursor.bytes(atMost: bytesMax) { result in
      result.add(Field.recordID, record.recordID)
      result.addMessage(Field.record) { $0.addMembers(of: record, withFields: false) }
    }
  }

  /// The bytes of a field's value; none for null.
  package static func encode(_ value: FieldValue?) -> [UInt8] {
    guard let value else { return [] }
    return WireCursor.bytes(atMost: value.wireBytesMax) { $0.addMembers(of: value) }
  }
}

extension WireCursor {
  /// Adds the members of a record, whose fields may be left out.
  mutating func addMembers(of record: Record, withFields: Bool) {
    add(Field.recordID, record.recordID)
    add(Field.recordType, ifNotEmpty: record.recordType)
    if withFields { add(Field.fields, record.fields) }
    add(Field.changeTag, ifNotEmpty: record.changeTag)
    if let created = record.created { add(Field.created, created) }
    if let modified = record.modified { add(Field.modified, modified) }
    if let parent = record.parent { addMessage(Field.parent) { $0.addMembers(of: parent) } }
    if let share = record.share { addMessage(Field.share) { $0.addMembers(of: share) } }
    add(Field.shareRecordName, ifNotEmpty: record.shareRecordName)
  }

  /// Adds the fields of a record, or of what is known of one, as entries of a map.
  mutating func add(_ field: Int, _ fields: RecordFields) {
    if field == Field.fields, let packed = fields.packed {
      return packed.withBytes { append($0) }
    }
    for entry in fields.sorted {
      addMessage(field) { message in
        message.add(MapEntry.key, entry.name)
        message.addMessage(MapEntry.value) { message in
          if let value = entry.value { message.addMembers(of: value) }
        }
      }
    }
  }

  /// Adds a record's name and zone.
  ///
  /// The default zone is left out.
  mutating func add(_ field: Int, _ id: RecordID) {
    addMessage(field) { message in
      message.add(IDField.recordName, ifNotEmpty: id.recordName)
      guard id.zoneID != .default else { return }
      message.addMessage(IDField.zoneID) { message in
        message.add(ZoneIDField.zoneName, ifNotEmpty: id.zoneID.zoneName)
        message.add(ZoneIDField.ownerName, ifNotEmpty: id.zoneID.ownerName)
      }
    }
  }

  private mutating func add(_ field: Int, _ modification: Record.ModificationInfo) {
    addMessage(field) { message in
      message.add(ModificationField.timestamp, modification.timestamp)
      message.add(ModificationField.userRecordName, ifNotEmpty: modification.caller.user)
      message.add(ModificationField.deviceID, ifNotEmpty: modification.caller.device)
    }
  }
}
