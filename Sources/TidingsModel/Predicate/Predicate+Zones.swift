extension Predicate.Node {
  /// The same with references that name no zone in one: in this, and those to users in the default zone.
  func qualified(in zone: ZoneID) -> Self {
    switch self {
    case .constant: self
    case .comparison(let comparison): .comparison(comparison.qualified(in: zone))
    case .not(let operand): .not(operand.qualified(in: zone))
    case .and(let operands): .and(operands.map { $0.qualified(in: zone) })
    case .or(let operands): .or(operands.map { $0.qualified(in: zone) })
    }
  }
}

extension Predicate.Comparison {
  /// The same with references that name no zone in one: in this, and those to users in the default zone.
  func qualified(in zone: ZoneID) -> Self {
    guard values.contains(where: \.namesNoZone) else { return self }
    var comparison = self
    comparison.values = values.map { $0.qualified(in: isOfUser ? .default : zone) }
    return comparison
  }

  /// What is compared is a user.
  fileprivate var isOfUser: Bool {
    switch SystemField(name: field) {
    case .creatorUserRecordID?, .lastModifiedUserRecordID?: true
    default: false
    }
  }
}

extension FieldValue {
  fileprivate var namesNoZone: Bool {
    if case .reference(let reference) = self {
      reference.recordID.zoneID.zoneName.isEmpty
    } else {
      false
    }
  }

  fileprivate func qualified(in zone: ZoneID) -> FieldValue {
    guard namesNoZone, case .reference(var reference) = self else { return self }
    reference.recordID.zoneID.zoneName = zone.zoneName
    return .reference(reference)
  }
}
