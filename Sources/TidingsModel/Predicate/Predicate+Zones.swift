/// What references and users of a predicate mean that it does not say.
struct PredicateNames {
  /// The zone of references that name none, except to users.
  var zone = ZoneID.default
  /// Whoever calls; `nil`: the predicate says it already.
  var user: String?
}

extension Predicate.Node {
  /// The same with references that name no zone in one: in this, and those to users in the default zone; and with the caller's
  /// name where whoever calls is named.
  func qualified(as names: PredicateNames) throws(PredicateError) -> Self {
    func each(_ operands: [Self]) throws(PredicateError) -> [Self] {
      try operands.map { (operand) throws(PredicateError) in try operand.qualified(as: names) }
    }
    return switch self {
    case .constant: self
    case .comparison(let comparison): .comparison(try comparison.qualified(as: names))
    case .not(let operand): .not(try operand.qualified(as: names))
    case .and(let operands): .and(try each(operands))
    case .or(let operands): .or(try each(operands))
    }
  }
}

extension Predicate.Comparison {
  /// The same with references that name no zone in one: in this, and those to users in the default zone; and with the caller's
  /// name where whoever calls is named.
  func qualified(as names: PredicateNames) throws(PredicateError) -> Self {
    var comparison = self
    if values.contains(where: \.namesNoZone) {
      comparison.values = values.map { $0.qualified(in: isOfUser ? .default : names.zone) }
    }
    if let user = names.user, values.contains(where: { $0.namesCurrentUser(isOfUser: isOfUser) }) {
      guard !user.isEmpty else { throw PredicateError(CurrentUser.absence) }
      comparison.values = comparison.values.map { $0.naming(user, isOfUser: isOfUser) }
    }
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

  fileprivate func namesCurrentUser(isOfUser: Bool) -> Bool {
    switch self {
    case .reference(let reference): reference.namesCurrentUser
    case .string(let name): isOfUser && name == CurrentUser.name
    default: false
    }
  }

  fileprivate func naming(_ user: String, isOfUser: Bool) -> FieldValue {
    guard namesCurrentUser(isOfUser: isOfUser) else { return self }
    guard case .reference(var reference) = self else { return .string(user) }
    reference.recordID.recordName = user
    return .reference(reference)
  }
}
