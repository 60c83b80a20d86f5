internal import TidingsProto

extension Oracle {
  /// What the schema says of a subscription.
  enum Fit {
    /// It may fire.
    case good
    /// A field or value of the predicate is not in the schema, if the canonical form still has it.
    case doubtful
    /// A field that it carries or shows is not in the schema.
    case bad
  }

  /// Whether the schema has what a subscription names; all types are declared.
  func fit(_ subscription: OracleSubscription) -> Fit {
    guard !subscription.recordType.isEmpty else { return .good }
    let kinds = fieldTypes[subscription.recordType] ?? [:]
    if (subscription.keys + subscription.args).contains(where: { kinds[$0] == nil }) { return .bad }
    return subscription.predicate.fits(kinds) ? .good : .doubtful
  }
}

extension OraclePredicate {
  private static let firstList = 9

  /// Whether every field is known and has values of the kind that it is compared with.
  fileprivate func fits(_ kinds: [String: Int]) -> Bool {
    func fits(_ name: String, _ values: [TidingsV1.FieldValue], ofMembers: Bool) -> Bool {
      if Self.systemFields.contains(name) { return true }
      guard let kind = kinds[name], ofMembers == (kind >= Self.firstList) else { return false }
      let scalar = kind >= Self.firstList ? kind - Self.firstList + 1 : kind
      return values.allSatisfy { value in
        let other = value.kind ?? 0
        return other == scalar || ([2, 3].contains(other) && [2, 3].contains(scalar))
      }
    }
    return switch self {
    case .all, .none: true
    case .compare(let field, _, let value):
      fits(field.name, [value], ofMembers: field.members != .none)
    case .between(let field, let low, let high):
      fits(field.name, [low, high], ofMembers: field.members != .none)
    case .oneOf(let field, let values):
      fits(field.name, values, ofMembers: field.members != .none)
    case .contains(let name, let value):
      fits(name, [value], ofMembers: true)
        || kinds[name] == 1 && fits(name, [value], ofMembers: false)
    case .near(let name, let location, _):
      fits(name, [.init(.locationValue(location))], ofMembers: false)
    case .and(let operands), .or(let operands): operands.allSatisfy { $0.fits(kinds) }
    case .not(let operand): operand.fits(kinds)
    }
  }

  private static let systemFields: Set = [
    "recordName", "recordID", "creationDate", "modificationDate", "creatorUserRecordID",
    "lastModifiedUserRecordID", "recordChangeTag", "parent", "self",
  ]
}
