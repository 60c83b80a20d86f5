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
    return WireCursor.bytes(atMost: event.subject.wireBytesMax + 12 * WireCursor.fieldBytesMax) {
      message in
      switch event.subject {
      case .record(let id, let reason):
        message.add(Field.reason, varint: UInt64(reason.rawValue))
        add(id, to: &message)
      case .zone(let id): add(id, to: &message)
      }
      message.add(Field.committed, event.committed)
      message.addMessage(Field.position) { position in
        position.add(Position.channelID, channel)
        position.add(Position.sequenceNumber, varint: UInt64(clamping: event.sequence))
      }
    }
  }

  /// The bytes of what an event carries, which follow those of the event.
  package static func encode(_ content: EventContent) -> [UInt8] {
    WireCursor.bytes(atMost: content.wireBytesMax) { message in
      message.add(Field.recordFields, content.fields)
      for value in content.alertValues { message.add(Field.alertLocalizationValues, value) }
      for value in content.titleValues { message.add(Field.titleLocalizationValues, value) }
      for value in content.subtitleValues { message.add(Field.subtitleLocalizationValues, value) }
      message.add(Field.collapseID, ifNotEmpty: content.collapseID)
      for key in content.omittedKeys { message.add(Field.omittedKeys, key) }
    }
  }

  /// The owner is left out: subscribers know it by their databases.
  private static func add(_ id: RecordID, to message: inout WireCursor) {
    message.addMessage(Field.recordID) { message in
      message.add(RecordIDField.recordName, id.recordName)
      guard id.zoneID != .default else { return }
      message.addMessage(RecordIDField.zoneID) { $0.add(ZoneIDField.zoneName, id.zoneID.zoneName) }
    }
  }

  /// A zone that changed is named, the default one too: there is nothing else in the ID.
  private static func add(_ id: ZoneID, to message: inout WireCursor) {
    message.addMessage(Field.recordID) { message in
      message.addMessage(RecordIDField.zoneID) { message in
        message.add(ZoneIDField.zoneName, id.zoneName)
        message.add(ZoneIDField.ownerName, ifNotEmpty: id.ownerName)
      }
    }
  }
}

extension Event.Subject {
  fileprivate var wireBytesMax: Int {
    switch self {
    case .record(let id, _): id.recordName.utf8.count + id.zoneID.zoneName.utf8.count
    case .zone(let id): id.zoneName.utf8.count + id.ownerName.utf8.count
    }
  }
}

extension EventContent {
  fileprivate var wireBytesMax: Int {
    let texts = [alertValues, titleValues, subtitleValues, [collapseID], omittedKeys].joined()
    return texts.reduce(fields.wireBytesMax) { $0 + $1.utf8.count + WireCursor.fieldBytesMax }
  }
}
