internal import TidingsEngine
internal import TidingsModel
internal import TidingsProtobuf

/// Writes events as a part of `tidings.v1.Notification`: encoded messages, one after the other, are one
/// message with the members of all.
enum EventWriter {
  /// The bytes of an event, which follow those of its source.
  static func encode(_ event: Event) -> [UInt8] {
    let channel = String(event.channel)
    var message = SplicedMessage(capacity: 128)
    switch event.subject {
    case .record(let id, let reason):
      message.add(5, varint: UInt64(reason.rawValue))
      add(id, to: &message)
    case .zone(let id): add(id, to: &message)
    }
    message.add(10, event.committed)
    var position = SplicedMessage(capacity: 32)
    position.add(1, channel.utf8)
    position.add(2, varint: UInt64(clamping: event.sequence))
    message.add(12, position.bytes)
    return message.bytes
  }

  /// The bytes of what an event carries, which follow those of the event.
  static func encode(_ content: EventContent, in arena: borrowing Arena) -> [UInt8] {
    var message = SplicedMessage()
    add(content, to: &message, in: arena)
    return message.bytes
  }

  private static func add(_ id: RecordID, to message: inout SplicedMessage) {
    let zone = id.zoneID.zoneName.utf8
    let nameBytes = SplicedMessage.memberBytes(id.recordName.utf8.count)
    let zoneBytes =
      id.zoneID == .default
      ? 0 : SplicedMessage.memberBytes(SplicedMessage.memberBytes(zone.count))
    message.addHead(6, bytes: nameBytes + zoneBytes)
    message.add(1, id.recordName.utf8)
    guard zoneBytes > 0 else { return }
    message.addHead(2, bytes: SplicedMessage.memberBytes(zone.count))
    message.add(1, zone)
  }

  /// A zone that changed is named, the default one too: there is nothing else in the ID.
  private static func add(_ id: ZoneID, to message: inout SplicedMessage) {
    let owner = id.ownerName.utf8
    let zoneBytes =
      SplicedMessage.memberBytes(id.zoneName.utf8.count)
      + (owner.isEmpty ? 0 : SplicedMessage.memberBytes(owner.count))
    message.addHead(6, bytes: SplicedMessage.memberBytes(zoneBytes))
    message.addHead(2, bytes: zoneBytes)
    message.add(1, id.zoneName.utf8)
    if !owner.isEmpty { message.add(2, owner) }
  }

  private static func add(
    _ content: EventContent,
    to message: inout SplicedMessage,
    in arena: borrowing Arena
  ) {
    for field in content.fields.sorted {
      let value = arena.pack(RecordWriter.fieldValue(field.value, in: arena))
      let name = field.name.utf8
      message.addHead(
        8,
        bytes: SplicedMessage.memberBytes(name.count) + SplicedMessage.memberBytes(value.count)
      )
      message.add(1, name)
      message.add(2, value)
    }
    for value in content.alertValues { message.add(13, value.utf8) }
    for value in content.titleValues { message.add(14, value.utf8) }
    for value in content.subtitleValues { message.add(15, value.utf8) }
    if !content.collapseID.isEmpty { message.add(16, content.collapseID.utf8) }
    for key in content.omittedKeys { message.add(17, key.utf8) }
  }
}
