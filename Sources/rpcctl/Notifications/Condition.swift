internal import CommandLineTools
internal import TidingsModel
internal import TidingsProto

/// A predicate that is evaluated locally, with the server's language and semantics.
struct Condition: Sendable {
  private let predicate: Predicate

  /// Parses a predicate; the option names it in errors.
  init(_ text: String, _ option: String) throws(UsageError) {
    do {
      predicate = try Predicate(text: text)
    } catch {
      throw UsageError("\(option) '\(text)': \(error)")
    }
  }

  /// Returns whether a record satisfies it.
  func holds(for record: TidingsV1.Record) -> Bool { predicate.matches(Record(record)) }

  /// Returns whether a notification satisfies it: its fields, and `subscriptionID`, `reason`, `type`,
  /// `zoneName` and `recordName`.
  func holds(for notification: TidingsV1.Notification) -> Bool {
    let id = notification.recordID ?? .init()
    var record = Record(
      .init(recordID: id, recordType: notification.recordType, fields: notification.recordFields)
    )
    let words = [
      "subscriptionID": notification.subscriptionID,
      "reason": NotificationJSON.reason(notification) ?? "",
      "type": notification.recordType, "zoneName": id.zoneID?.name ?? ZoneName.defaultZone,
    ]
    for (name, word) in words where record.fields[name] == nil {
      record.fields[name] = .string(word)
    }
    return predicate.matches(record)
  }
}

extension Record {
  /// The values of a record for predicates.
  fileprivate init(_ record: TidingsV1.Record) {
    self.init(
      recordID: RecordID(record.recordID),
      recordType: record.recordType,
      fields: RecordFields(
        record.fields.map { .init(name: $0.key, value: FieldValue($0.value)) }
      )
    )
    changeTag = record.changeTag
    created = record.created.map(ModificationInfo.init)
    modified = record.modified.map(ModificationInfo.init)
    parent = record.parent.map(Reference.init)
  }
}

extension Record.ModificationInfo {
  fileprivate init(_ modification: TidingsV1.ModificationInfo) {
    self.init(
      timestamp: Timestamp(modification.timestamp ?? .init()),
      caller: Caller(user: modification.userRecordName, device: modification.deviceID)
    )
  }
}

extension RecordID {
  fileprivate init(_ id: TidingsV1.RecordID?) {
    let zone = id?.zoneID ?? .init()
    self.init(
      recordName: id?.recordName ?? "",
      zoneID: ZoneID(zoneName: zone.name, ownerName: zone.ownerName)
    )
  }
}

extension Reference {
  fileprivate init(_ reference: TidingsV1.Reference) {
    self.init(recordID: RecordID(reference.recordID))
  }
}

extension Timestamp {
  fileprivate init(_ time: GoogleProtobuf.Timestamp) {
    self.init(seconds: time.seconds, nanoseconds: max(0, min(time.nanos, 999_999_999)))
  }
}

extension Location {
  fileprivate init(_ location: TidingsV1.Location) {
    self.init(latitude: location.latitude, longitude: location.longitude)
  }
}

extension FieldValue {
  /// Converts a value; `nil`: none, or one that predicates do not support.
  fileprivate init?(_ value: TidingsV1.FieldValue) {
    switch value.value {
    case .stringValue(let text)?: self = .string(text)
    case .int64Value(let number)?: self = .int64(number)
    case .doubleValue(let number)?: self = .double(number)
    case .bytesValue(let bytes)?: self = .bytes(bytes)
    case .timestampValue(let time)?: self = .timestamp(Timestamp(time))
    case .locationValue(let location)?: self = .location(Location(location))
    case .referenceValue(let reference)?: self = .reference(Reference(reference))
    case .stringListValue(let list)?: self = .stringList(list.values)
    case .int64ListValue(let list)?: self = .int64List(list.values)
    case .doubleListValue(let list)?: self = .doubleList(list.values)
    case .bytesListValue(let list)?: self = .bytesList(list.values)
    case .timestampListValue(let list)?: self = .timestampList(list.values.map(Timestamp.init))
    case .locationListValue(let list)?: self = .locationList(list.values.map(Location.init))
    case .referenceListValue(let list)?: self = .referenceList(list.values.map(Reference.init))
    case .unknownListValue?: self = .unknownList
    case .assetValue?, .assetListValue?, .encryptedValue?, nil: return nil
    }
  }
}
