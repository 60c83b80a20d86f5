internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtoC
internal import TidingsProtobuf
internal import TidingsSQL

/// Keeps records, subscriptions and events as the contract's messages, so that they go to clients
/// without being decoded.
final class ProtoBodyCodec: BodyCodec {
  private let arena = Arena()

  func encode(_ record: Record) -> [UInt8] {
    defer { arena.reset() }
    return RecordWriter.encode(record, in: arena)
  }

  func decodeRecord(_ bytes: UnsafeRawBufferPointer) throws -> Record {
    defer { arena.reset() }
    return try storedMessage("record") {
      let message = try TidingsV1.Record.unpack(bytes.bytes, in: arena)
      return try RecordReader.record(
        UnsafeMutableRawPointer(mutating: message).assumingMemoryBound(
          to: Tidings__V1__Record.self
        ),
        "the stored record"
      )
    }
  }

  /// Encoded messages, one after the other, are one message with the members of both.
  func ownerBytes(_ owner: String) -> [UInt8] {
    var zone = SplicedMessage()
    zone.add(2, owner.utf8)
    var recordID = SplicedMessage()
    recordID.add(2, zone.bytes)
    var record = SplicedMessage()
    record.add(1, recordID.bytes)
    return record.bytes
  }

  /// The record's ID and type are the first members that `encode` writes.
  func isShare(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var wire = StoredMembers(bytes)
    while let member = wire.next(), member.field <= 2 {
      if member.field == 2 { return member.content.elementsEqual(Share.recordType.utf8) }
    }
    return false
  }

  func encode(_ subscription: Subscription) -> [UInt8] {
    defer { arena.reset() }
    return TidingsV1.Subscription(subscription).encoded(in: arena)
  }

  func decodeSubscription(_ bytes: UnsafeRawBufferPointer) throws -> Subscription {
    defer { arena.reset() }
    return try storedMessage("subscription") {
      try TidingsV1.Subscription(decoding: bytes.bytes, in: arena)
        .model("the stored subscription", isStored: true)
    }
  }

  func encode(_ source: EventSource) -> [UInt8] {
    defer { arena.reset() }
    return TidingsV1.Notification(
      type: source.kind.notificationType,
      databaseID: .init(source.database),
      recordType: source.recordType,
      notificationInfo: source.notificationInfo.map { .init($0) }
    ).encoded(in: arena)
  }

  func encode(_ event: Event) -> [UInt8] { EventWriter.encode(event) }

  func encode(_ content: EventContent) -> [UInt8] {
    defer { arena.reset() }
    return EventWriter.encode(content, in: arena)
  }

  func withoutContent(ofEvent bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
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

  func committed(ofEvent bytes: UnsafeRawBufferPointer) throws -> Timestamp? {
    defer { arena.reset() }
    return try storedMessage("notification") {
      try TidingsV1.Notification(decoding: bytes.bytes, in: arena).committed?.model
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
func storedMessage<Value>(_ what: String, _ read: () throws -> Value) throws(SQLError) -> Value {
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
