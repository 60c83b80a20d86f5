extension FieldValue {
  /// Whether this is a list.
  var isList: Bool {
    switch self {
    case .string, .int64, .double, .bytes, .timestamp, .location, .reference, .asset, .encrypted:
      false
    default: true
    }
  }

  /// What no stored value and no literal may be, in words; `nil`: nothing is wrong.
  var problem: String? {
    switch self {
    case .string, .int64, .bytes, .stringList, .int64List, .bytesList, .unknownList: nil
    case .double(let value): Self.problem(value)
    case .timestamp(let value): Self.problem(value)
    case .location(let value): Self.problem(value)
    case .reference(let value): Self.problem(value)
    case .asset(let value): Self.problem(value)
    case .doubleList(let list): list.firstProblem(Self.problem)
    case .timestampList(let list): list.firstProblem(Self.problem)
    case .locationList(let list): list.firstProblem(Self.problem)
    case .referenceList(let list): list.firstProblem(Self.problem)
    case .assetList(let list): list.firstProblem(Self.problem)
    case .encrypted(let value): value.problem
    }
  }

  private static func problem(_ value: Double) -> String? {
    value.isFinite ? nil : "\(value) is not a finite number; leave the field out instead"
  }

  private static func problem(_ value: Timestamp) -> String? {
    guard !Timestamp.validRange.contains(value) else { return nil }
    return "the time \(value.seconds) s is outside 0001-01-01 to 9999-12-31; "
      + "times are in seconds since 1970"
  }

  private static func problem(_ value: Location) -> String? {
    if !(-90...90).contains(value.latitude) {
      return "the latitude \(value.latitude) is outside -90 to 90 degrees"
    }
    if !(-180...180).contains(value.longitude) {
      return "the longitude \(value.longitude) is outside -180 to 180 degrees"
    }
    let others = [
      value.horizontalAccuracy, value.verticalAccuracy, value.altitude, value.speed, value.course,
    ]
    if let other = others.lazy.compactMap(\.self).first(where: { !$0.isFinite }) {
      return "a member of the location is \(other), not a finite number; leave it out instead"
    }
    return value.timestamp.flatMap(problem)
  }

  private static func problem(_ value: Reference) -> String? {
    Identifier.problem(inReferencedName: value.recordID.recordName)
      ?? Identifier.problem(inZoneName: value.recordID.zoneID.zoneName)
  }

  private static func problem(_ value: Asset) -> String? {
    guard value.checksum.count != 32 else { return nil }
    return "the asset's checksum has \(value.checksum.count) bytes, SHA-256 has 32; "
      + "use what UploadAsset answered"
  }
}

extension Array {
  /// The first member's problem and its index.
  fileprivate func firstProblem(_ problem: (Element) -> String?) -> String? {
    for (index, element) in enumerated() {
      if let problem = problem(element) { return "member \(index): \(problem)" }
    }
    return nil
  }
}
