package import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
package import TidingsSQL
internal import TidingsWire

/// Keeps records, subscriptions and events as the contract's messages, so that they go to clients
/// without being decoded.
package final class BodyCodec {
  private let arena = Arena()

  package init() {}

  /// The bytes of a record, with its system fields.
  package func encode(_ record: Record) -> [UInt8] { RecordWriter.encode(record) }

  /// The record in bytes that this codec made.
  package func decodeRecord(_ bytes: UnsafeRawBufferPointer) throws -> Record {
    if let record = try? PlainRecordReader.record(bytes) { return record }
    defer { arena.reset() }
    return try storedMessage("record") {
      try RecordReader.record(unpacking: bytes, "the stored record", in: arena)
    }
  }

  /// The bytes behind the records of a zone that a call names; none if it names no owner.
  package func ownerBytes(ofZone zone: ZoneID?) -> [UInt8] {
    guard let owner = zone?.ownerName, !owner.isEmpty else { return [] }
    return OwnerName.bytes(owner)
  }

  /// Whether bytes that this codec made are a share's record, found without decoding them: the record's ID and
  /// type are the first members that `encode` writes.
  package func isShare(_ bytes: UnsafeRawBufferPointer) -> Bool {
    typealias Field = TidingsV1.Record.FieldNumber
    var wire = WireReader(bytes[...])
    while let (field, content) = wire.nextDelimited(), field <= Field.recordType {
      if field == Field.recordType { return content.elementsEqual(Share.recordType.utf8) }
    }
    return false
  }

  /// The bytes of a subscription, without what the server adds.
  package func encode(_ subscription: Subscription) -> [UInt8] {
    defer { arena.reset() }
    return TidingsV1.Subscription(subscription).encoded(in: arena)
  }

  /// The subscription in bytes that this codec made.
  package func decodeSubscription(_ bytes: UnsafeRawBufferPointer) throws -> Subscription {
    defer { arena.reset() }
    return try storedMessage("subscription") {
      try TidingsV1.Subscription(decoding: bytes.bytes, in: arena)
        .model("the stored subscription", isStored: true)
    }
  }

  /// The bytes of what all events of a channel have in common.
  package func encode(_ source: EventSource) -> [UInt8] {
    defer { arena.reset() }
    return TidingsV1.Notification(
      type: source.kind.notificationType,
      databaseID: .init(source.database),
      recordType: source.recordType,
      notificationInfo: source.notificationInfo.map { .init($0) }
    ).encoded(in: arena)
  }

  /// The bytes of an event: between those of its source and those of its content they are a notification,
  /// without what differs between its subscribers.
  package func encode(_ event: Event) -> [UInt8] { EventWriter.encode(event) }

  /// The bytes of what an event carries of a record.
  package func encode(_ content: EventContent) -> [UInt8] { EventWriter.encode(content) }

  /// The bytes of an event without what it carries of the record.
  package func withoutContent(ofEvent bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
    defer { arena.reset() }
    return try storedMessage("notification") {
      var event = try TidingsV1.Notification(decoding: bytes.bytes, in: arena)
      event.recordFields = [:]
      event.alertLocalizationValues = []
      event.titleLocalizationValues = []
      event.subtitleLocalizationValues = []
      event.collapseID = ""
      event.omittedKeys = []
      return event.encoded(in: arena)
    }
  }

  /// When an event was committed, by bytes that this codec made.
  package func committed(ofEvent bytes: [UInt8]) throws -> Timestamp {
    defer { arena.reset() }
    return try storedMessage("notification") {
      try TidingsV1.Notification(decoding: bytes.span.bytes, in: arena).committed?.model
        ?? Timestamp(millisecondsSince1970: 0)
    }
  }
}

/// Reads a message from the store: what cannot be read is the store's damage, not a caller's mistake.
///
/// - Parameters:
///   - what: What it should be.
///   - read: Decodes it.
/// - Returns: What `read` returned.
/// - Throws: `SQLError` `damaged`.
package func storedMessage<Value>(
  _ what: String,
  _ read: () throws -> Value
) throws(SQLError) -> Value {
  do {
    return try read()
  } catch {
    throw SQLError(.damaged, "a stored \(what) cannot be read: \(error)")
  }
}

extension Subscription.Kind {
  fileprivate var notificationType: TidingsV1.NotificationType {
    switch self {
    case .query: .query
    case .recordZone: .recordZone
    case .database: .database
    }
  }
}
