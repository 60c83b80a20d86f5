internal import TidingsModel
internal import TidingsProto
internal import TidingsWire

private typealias Field = TidingsV1.FieldValue.FieldNumber
private typealias LocationField = TidingsV1.Location.FieldNumber
private typealias ReferenceField = TidingsV1.Reference.FieldNumber
private typealias AssetField = TidingsV1.Asset.FieldNumber
private typealias EncryptedField = TidingsV1.EncryptedValue.FieldNumber

extension WireCursor {
  /// Adds the one member that a value has: of a `oneof`, so that it is there even if it is empty.
  mutating func addMembers(of value: FieldValue) {
    switch value {
    case .string(let text): add(Field.stringValue, text)
    case .int64(let number): add(Field.int64Value, varint: UInt64(bitPattern: number))
    case .double(let number): add(Field.doubleValue, fixed64: number.bitPattern)
    case .bytes(let bytes): add(Field.bytesValue, bytes)
    case .timestamp(let time): add(Field.timestampValue, time)
    case .location(let position):
      addMessage(Field.locationValue) { $0.addMembers(of: position) }
    case .reference(let target):
      addMessage(Field.referenceValue) { $0.addMembers(of: target) }
    case .asset(let file): addMessage(Field.assetValue) { $0.addMembers(of: file) }
    case .stringList(let texts): addList(Field.stringListValue, texts) { $0.add($1, $2) }
    case .int64List(let numbers):
      addPacked(Field.int64ListValue, numbers) { message, number in
        message.varint(UInt64(bitPattern: number))
      }
    case .doubleList(let numbers):
      addPacked(Field.doubleListValue, numbers) { message, number in
        message.fixed(number.bitPattern)
      }
    case .bytesList(let strings): addList(Field.bytesListValue, strings) { $0.add($1, $2) }
    case .timestampList(let times): addList(Field.timestampListValue, times) { $0.add($1, $2) }
    case .locationList(let positions):
      addList(Field.locationListValue, positions) { message, field, position in
        message.addMessage(field) { $0.addMembers(of: position) }
      }
    case .referenceList(let targets):
      addList(Field.referenceListValue, targets) { message, field, target in
        message.addMessage(field) { $0.addMembers(of: target) }
      }
    case .assetList(let files):
      addList(Field.assetListValue, files) { message, field, file in
        message.addMessage(field) { $0.addMembers(of: file) }
      }
    case .unknownList: addHead(Field.unknownListValue, bytes: 0)
    case .encrypted(let value): addMessage(Field.encryptedValue) { $0.addMembers(of: value) }
    }
  }

  /// Adds a reference's members.
  mutating func addMembers(of target: Reference) {
    add(ReferenceField.recordID, target.recordID)
    add(ReferenceField.action, varint: UInt64(target.action.rawValue))
  }

  private mutating func addMembers(of position: Location) {
    // Zero is left out, as by every encoder, and minus zero is not.
    if position.latitude.bitPattern != 0 {
      add(LocationField.latitude, fixed64: position.latitude.bitPattern)
    }
    if position.longitude.bitPattern != 0 {
      add(LocationField.longitude, fixed64: position.longitude.bitPattern)
    }
    let optional = [
      (LocationField.horizontalAccuracy, position.horizontalAccuracy),
      (LocationField.verticalAccuracy, position.verticalAccuracy),
      (LocationField.altitude, position.altitude), (LocationField.speed, position.speed),
      (LocationField.course, position.course),
    ]
    for case (let field, let value?) in optional { add(field, fixed64: value.bitPattern) }
    if let time = position.timestamp { add(LocationField.timestamp, time) }
  }

  private mutating func addMembers(of file: Asset) {
    if !file.checksum.isEmpty { add(AssetField.checksum, file.checksum) }
    if file.size != 0 { add(AssetField.size, varint: file.size) }
  }

  private mutating func addMembers(of value: EncryptedValue) {
    add(EncryptedField.type, varint: UInt64(value.type.rawValue))
    if !value.keyID.isEmpty { add(EncryptedField.keyID, value.keyID) }
    if !value.sealed.isEmpty { add(EncryptedField.sealed, value.sealed) }
  }

  // MARK: Lists

  /// The number of the members in each of the messages that are lists.
  private static var members: Int { TidingsV1.StringList.FieldNumber.values }

  private mutating func addList<Element>(
    _ field: Int,
    _ elements: [Element],
    _ add: (inout WireCursor, _ field: Int, Element) -> Void
  ) {
    addMessage(field) { message in
      for element in elements { add(&message, Self.members, element) }
    }
  }

  private mutating func addPacked<Element>(
    _ field: Int,
    _ elements: [Element],
    _ add: (inout WireCursor, Element) -> Void
  ) {
    addMessage(field) { message in
      guard !elements.isEmpty else { return }
      message.addMessage(Self.members) { message in
        for element in elements { add(&message, element) }
      }
    }
  }
}
