package import TidingsModel
internal import TidingsProto
internal import TidingsWire

private typealias Field = TidingsV1.Notification.FieldNumber
private typealias Position = TidingsV1.SubscriptionPosition.FieldNumber
private typealias RecordIDField = TidingsV1.RecordID.FieldNumber
private typealias ZoneIDField = TidingsV1.ZoneID.FieldNumber

/// Writes events as a part of `tidings.v1.Notification`: encoded messages, one after the other, are one
/// message with the members of all.
package enum EventWriter {
  /// The bytes of an event, which follow those of its source.
  package static func encode(_ event: Event) -> [UInt8] {
    let channel = String(event.channel)
    var message = WireWriter(capacity: 128)
    switch event.subject {
    case .record(let id, let reason):
      message.add(Field.reason, varint: UInt64(reason.rawValue))
      add(id, to: &message)
    case .zone(let id): add(id, to: &message)
    }
    message.add(Field.committed, event.committed)
    var position = WireWriter(capacity: 32)
    position.add(Position.channelID, channel.utf8)
    position.add(Position.sequenceNumber, varint: UInt64(clamping: event.sequence))
    message.add(Field.position, position.bytes)
    return message.bytes
  }

  /// The bytes of what an event carries, which follow those of the event.
  package static func encode(_ content: EventContent) -> [UInt8] {
    var message = WireWriter()
    add(content, to: &message)
    return message.bytes
  }

  private static func add(_ id: RecordID, to message: inout WireWriter) {
    let zone = id.zoneID.zoneName.utf8
    let nameBytes = WireSize.field(id.recordName.utf8.count)
    let zoneBytes =
      id.zoneID == .default
      ? 0 : WireSize.field(WireSize.field(zone.count))
    message.addHead(Field.recordID, bytes: nameBytes + zoneBytes)
    message.add(RecordIDField.recordName, id.recordName.utf8)
    guard zoneBytes > 0 else { return }
    message.addHead(RecordIDField.zoneID, bytes: WireSize.field(zone.count))
    message.add(ZoneIDField.zoneName, zone)
  }

  /// A zone that changed is named, the default one too: there is nothing else in the ID.
  private static func add(_ id: ZoneID, to message: inout WireWriter) {
    let owner = id.ownerName.utf8
    let zoneBytes =
      WireSize.field(id.zoneName.utf8.count)
      + (owner.isEmpty ? 0 : WireSize.field(owner.count))
    message.addHead(Field.recordID, bytes: WireSize.field(zoneBytes))
    message.addHead(RecordIDField.zoneID, bytes: zoneBytes)
    message.add(ZoneIDField.zoneName, id.zoneName.utf8)
    if !owner.isEmpty { message.add(ZoneIDField.ownerName, owner) }
  }

  private static func add(_ content: EventContent, to message: inout WireWriter) {
    message.append(
      WireCursor.bytes(atMost: content.fields.wireBytesMax) {
        $0.add(Field.recordFields, content.fields)
      }
    )
    for value in content.alertValues { message.add(Field.alertLocalizationValues, value.utf8) }
    for value in content.titleValues { message.add(Field.titleLocalizationValues, value.utf8) }
    for value in content.subtitleValues {
      message.add(Field.subtitleLocalizationValues, value.utf8)
    }
    if !content.collapseID.isEmpty { message.add(Field.collapseID, content.collapseID.utf8) }
    for key in content.omittedKeys { message.add(Field.omittedKeys, key.utf8) }
  }
}
