public import TidingsProto

extension OraclePredicate {
  public func matches(_ record: TidingsV1.Record) -> Bool {
    switch self {
    case .all: return true
    case .none: return false
    case .compare(let field, .notEqual, let value) where field.members == .none:
      return !OraclePredicate.compare(field, .equal, value).matches(record)
    case .compare(let field, let relation, let value):
      return field.holds(for: record) { Self.holds($0, relation, value, field.ignoresCase) }
    case .between(let field, let low, let high):
      return field.holds(for: record) {
        Self.holds($0, .greaterOrEqual, low, field.ignoresCase)
          && Self.holds($0, .lessOrEqual, high, field.ignoresCase)
      }
    case .oneOf(let field, let values):
      return field.holds(for: record) { own in
        values.contains { Self.holds(own, .equal, $0, field.ignoresCase) }
      }
    case .contains(let field, let value):
      return record.value(of: field)?.members?.contains { Self.holds($0, .equal, value, false) }
        ?? false
    case .near(let field, let location, let metres):
      guard case .locationValue(let own)? = record.value(of: field)?.value else { return false }
      return OracleOrder.metres(own, location) < metres
    case .and(let operands): return operands.allSatisfy { $0.matches(record) }
    case .or(let operands): return operands.contains { $0.matches(record) }
    case .not(let operand): return !operand.matches(record)
    }
  }

  private static func holds(
    _ own: TidingsV1.FieldValue,
    _ relation: Relation,
    _ value: TidingsV1.FieldValue,
    _ ignoresCase: Bool
  ) -> Bool {
    if ignoresCase {
      guard case .stringValue(let a)? = own.value, case .stringValue(let b)? = value.value else {
        return false
      }
      return holds(
        .init(stringLiteral: a.lowercased()),
        relation,
        .init(stringLiteral: b.lowercased()),
        false
      )
    }
    switch relation {
    case .equal: return OracleOrder.areEqual(own, value)
    case .notEqual: return !OracleOrder.areEqual(own, value)
    case .less: return OracleOrder.order(own, value).map { $0 < 0 } ?? false
    case .lessOrEqual: return OracleOrder.order(own, value).map { $0 <= 0 } ?? false
    case .greater: return OracleOrder.order(own, value).map { $0 > 0 } ?? false
    case .greaterOrEqual: return OracleOrder.order(own, value).map { $0 >= 0 } ?? false
    case .beginsWith, .endsWith, .like:
      guard case .stringValue(let a)? = own.value, case .stringValue(let b)? = value.value else {
        return false
      }
      let (text, pattern) = (Array(a.unicodeScalars), Array(b.unicodeScalars))
      if relation == .beginsWith { return text.starts(with: pattern) }
      if relation == .endsWith { return text.reversed().starts(with: pattern.reversed()) }
      return isLike(text[...], pattern[...])
    }
  }

  private static func isLike(
    _ text: ArraySlice<Unicode.Scalar>,
    _ pattern: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    if first == "*" {
      return isLike(text, rest) || (!text.isEmpty && isLike(text.dropFirst(), pattern))
    }
    guard let own = text.first, first == "?" || first == own else { return false }
    return isLike(text.dropFirst(), rest)
  }
}

extension OraclePredicate {
  /// The same, with a zone for references that name none; what users are compared with is left.
  func naming(_ zone: String) -> Self {
    switch self {
    case .compare(let field, let relation, let value):
      guard !field.isUser, case .referenceValue(var reference)? = value.value,
        let id = reference.recordID, (id.zoneID?.zoneName ?? "").isEmpty
      else { return self }
      reference.recordID = .init(id.recordName, zone: zone)
      return .compare(field, relation, .init(.referenceValue(reference)))
    case .and(let operands): return .and(operands.map { $0.naming(zone) })
    case .or(let operands): return .or(operands.map { $0.naming(zone) })
    case .not(let operand): return .not(operand.naming(zone))
    // No other one compares references.
    case .all, .none, .between, .oneOf, .contains, .near: return self
    }
  }
}

extension OraclePredicate.Field {
  fileprivate var isUser: Bool {
    ["creatorUserRecordID", "lastModifiedUserRecordID"].contains(name)
  }

  fileprivate func holds(
    for record: TidingsV1.Record,
    _ test: (TidingsV1.FieldValue) -> Bool
  )
    -> Bool
  {
    guard let value = record.value(of: name) else { return false }
    switch members {
    case .none: return test(value)
    case .any: return value.members?.contains(where: test) ?? false
    case .all: return value.members?.allSatisfy(test) ?? false
    }
  }
}

extension TidingsV1.Record {
  /// The value of a field, or of a system field.
  func value(of field: String) -> TidingsV1.FieldValue? {
    func user(_ modification: TidingsV1.ModificationInfo?) -> TidingsV1.FieldValue? {
      modification.map { .init(.referenceValue(.init(recordID: .init($0.userRecordName)))) }
    }
    switch field {
    case "recordName": return .init(.stringValue(recordID?.recordName ?? ""))
    case "recordChangeTag": return .init(.stringValue(changeTag))
    case "creatorUserRecordID": return user(created)
    case "lastModifiedUserRecordID": return user(modified)
    case "creationDate": return created?.timestamp.map { .init(.timestampValue($0)) }
    case "modificationDate": return modified?.timestamp.map { .init(.timestampValue($0)) }
    case "parent": return parent.map { .init(.referenceValue($0)) }
    default: return fields[field]
    }
  }
}

extension TidingsV1.FieldValue {
  /// The members of a list; `nil`: it is none.
  var members: [Self]? {
    switch value {
    case .stringListValue(let list): list.values.map { .init(.stringValue($0)) }
    case .int64ListValue(let list): list.values.map { .init(.int64Value($0)) }
    case .doubleListValue(let list): list.values.map { .init(.doubleValue($0)) }
    case .bytesListValue(let list): list.values.map { .init(.bytesValue($0)) }
    case .timestampListValue(let list): list.values.map { .init(.timestampValue($0)) }
    case .locationListValue(let list): list.values.map { .init(.locationValue($0)) }
    case .referenceListValue(let list): list.values.map { .init(.referenceValue($0)) }
    case .unknownListValue: []
    default: nil
    }
  }
}
