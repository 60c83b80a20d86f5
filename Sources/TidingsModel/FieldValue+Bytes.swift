extension FieldValue {
  /// About how many bytes the value has when it is encoded.
  public var byteCount: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .int64, .double, .timestamp: 8
    case .bytes(let bytes): bytes.count
    case .location: Self.locationBytes
    case .reference(let target): target.byteCount
    case .asset: Self.assetBytes
    case .stringList(let texts): texts.reduce(0) { $0 + $1.utf8.count + 2 }
    case .int64List(let numbers): numbers.count * 8
    case .doubleList(let numbers): numbers.count * 8
    case .bytesList(let all): all.reduce(0) { $0 + $1.count + 2 }
    case .timestampList(let times): times.count * 8
    case .locationList(let positions): positions.count * Self.locationBytes
    case .referenceList(let targets): targets.reduce(0) { $0 + $1.byteCount }
    case .assetList(let files): files.count * Self.assetBytes
    case .unknownList: 0
    case .encrypted(let value): value.sealed.count + EncryptedValue.keyIDBytes + 8
    }
  }

  private static let locationBytes = 64
  private static let assetBytes = 48

  /// Whether two values have the same bytes: texts that are equal as characters may differ.
  public func isIdentical(to other: FieldValue) -> Bool {
    guard self == other else { return false }
    switch (self, other) {
    case (.string(let a), .string(let b)): return a.isIdentical(to: b)
    case (.stringList(let a), .stringList(let b)):
      return zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
    case (.double(let a), .double(let b)): return a.bitPattern == b.bitPattern
    case (.doubleList(let a), .doubleList(let b)):
      return zip(a, b).allSatisfy { $0.bitPattern == $1.bitPattern }
    default: return true
    }
  }
}

extension RecordFields {
  /// Whether the same fields have values of the same bytes.
  public func isIdentical(to other: RecordFields) -> Bool {
    sorted.count == other.sorted.count
      && zip(sorted, other.sorted).allSatisfy { a, b in
        guard a.name == b.name, let value = a.value, let other = b.value else { return false }
        return value.isIdentical(to: other)
      }
  }
}

extension String {
  fileprivate func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Reference {
  fileprivate var byteCount: Int {
    recordID.recordName.utf8.count + recordID.zoneID.zoneName.utf8.count + 8
  }
}
