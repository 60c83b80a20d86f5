internal import TidingsModel
internal import TidingsWire

/// At most what anything else takes than strings, bytes and lists: the memory for a record is made for it.
private let memberBytesMax = WireCursor.fieldBytesMax

extension Record {
  /// At most what its encoded form takes.
  func wireBytesMax(withFields: Bool) -> Int {
    var bytes = recordID.wireBytesMax + recordType.utf8.count + changeTag.utf8.count
    bytes += shareRecordName.utf8.count + 8 * memberBytesMax
    bytes += created.map(\.wireBytesMax) ?? 0
    bytes += modified.map(\.wireBytesMax) ?? 0
    bytes += parent.map(\.wireBytesMax) ?? 0
    bytes += share.map(\.wireBytesMax) ?? 0
    return withFields ? bytes + fields.wireBytesMax : bytes
  }
}

extension RecordFields {
  /// At most what their encoded form takes, as entries of a map.
  var wireBytesMax: Int {
    if let packed { return packed.byteCount }
    return sorted.reduce(0) { bytes, field in
      bytes + field.name.utf8.count + (field.value?.wireBytesMax ?? 0) + 3 * memberBytesMax
    }
  }
}

extension Record.ModificationInfo {
  fileprivate var wireBytesMax: Int {
    caller.user.utf8.count + caller.device.utf8.count + 6 * memberBytesMax
  }
}

extension RecordID {
  /// At most what its encoded form takes.
  var wireBytesMax: Int {
    recordName.utf8.count + zoneID.zoneName.utf8.count + zoneID.ownerName.utf8.count
      + 5 * memberBytesMax
  }
}

extension Reference {
  fileprivate var wireBytesMax: Int { recordID.wireBytesMax + 2 * memberBytesMax }
}

extension FieldValue {
  /// At most what its encoded form takes.
  var wireBytesMax: Int {
    func list<Element>(_ elements: [Element], _ bytesMax: (Element) -> Int) -> Int {
      elements.reduce(2 * memberBytesMax) { $0 + bytesMax($1) + memberBytesMax }
    }
    let locationBytesMax = 12 * memberBytesMax
    return switch self {
    case .string(let text): text.utf8.count + memberBytesMax
    case .bytes(let bytes): bytes.count + memberBytesMax
    case .int64, .double, .unknownList: 2 * memberBytesMax
    case .timestamp: 3 * memberBytesMax
    case .location: locationBytesMax
    case .reference(let target): target.wireBytesMax + memberBytesMax
    case .asset(let file): file.checksum.count + 4 * memberBytesMax
    case .encrypted(let value): value.keyID.count + value.sealed.count + 4 * memberBytesMax
    case .stringList(let texts): list(texts) { $0.utf8.count }
    case .bytesList(let strings): list(strings) { $0.count }
    case .int64List(let numbers): (numbers.count + 2) * memberBytesMax
    case .doubleList(let numbers): (numbers.count + 2) * memberBytesMax
    case .timestampList(let times): list(times) { _ in 3 * memberBytesMax }
    case .locationList(let positions): list(positions) { _ in locationBytesMax }
    case .referenceList(let targets): list(targets) { $0.wireBytesMax }
    case .assetList(let files): list(files) { $0.checksum.count + 4 * memberBytesMax }
    }
  }
}

extension Share {
  fileprivate var wireBytesMax: Int {
    var bytes = rootRecordName.utf8.count + url.utf8.count + 8 * memberBytesMax
    for participant in participants {
      bytes += participant.user.utf8.count + participant.id.utf8.count
      bytes += participant.oneTimeURL.utf8.count + 12 * memberBytesMax
    }
    for requester in requesters { bytes += requester.user.utf8.count + 6 * memberBytesMax }
    for user in blockedUsers { bytes += user.utf8.count + memberBytesMax }
    return bytes
  }
}
