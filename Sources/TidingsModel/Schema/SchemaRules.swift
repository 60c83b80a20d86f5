/// Whether records use a type or field.
public enum SchemaUse: Hashable, Sendable {
  /// No record does.
  case none
  /// A record does, or may.
  case some
  /// There are too many records to look through.
  case unknown(lookedThrough: Int)
}

extension SchemaChange {
  /// It takes away what records may hold.
  public var mayLoseData: Bool {
    switch self {
    case .recordType(_, let isAdded): !isAdded
    case .field(let name, _, let before?, let after):
      !Schema.isSystemField(name)
        && (before.type != after?.type || before.isEncrypted != after?.isEncrypted)
    case .role, .grant, .field: false
    }
  }

  /// Why development cannot change so; `nil`: it can.
  ///
  /// - Parameters:
  ///   - production: The schema of production; `nil` when nothing was deployed.
  ///   - use: Whether records use what the change takes away; asked only when it does.
  /// - Returns: What cannot be, why, and what to do instead.
  /// - Throws: What `use` throws.
  public func problem(
    production: Schema?,
    use: (_ recordType: String, _ field: String?) throws -> SchemaUse
  ) rethrows -> String? {
    guard mayLoseData, let (type, field) = target else { return nil }
    if production?.has(type, field) ?? false {
      return "\(refusal): production has it, and what is in production can neither be removed nor "
        + "get another type; \(remedy)"
    }
    switch try use(type, field) {
    case .none: return nil
    case .some where type == UserRecord.recordType:
      return "\(refusal): there are records of users, which are not deleted; \(remedy)"
    case .some:
      return "\(refusal): there are records of the type '\(type)'; delete them first, or \(remedy)"
    case .unknown(let count):
      return "\(refusal): the container has more than \(count) records, too many to see whether "
        + "some are of the type '\(type)'; \(remedy)"
    }
  }

  private var target: (recordType: String, field: String?)? {
    switch self {
    case .recordType(let type, _): (type, nil)
    case .field(let field, let type, _, _): (type, field)
    case .role, .grant: nil
    }
  }

  private var refusal: String {
    kind == .changed
      ? "'\(subject)' cannot change from \(before) to \(after)" : "'\(subject)' cannot be removed"
  }

  private var remedy: String {
    kind == .changed ? "use another field" : "keep it in the text"
  }
}

extension Schema {
  fileprivate func has(_ recordType: String, _ field: String?) -> Bool {
    guard let type = recordTypes[recordType] else { return false }
    return field.map { type.fields[$0] != nil } ?? true
  }

  /// Returns this schema, with the type of users' records from another one, where this does not name it.
  ///
  /// It cannot be removed. Roles that are not here lose their rights on it.
  public func keepingUserRecords(of other: Schema) -> Schema {
    guard recordTypes[UserRecord.recordType] == nil,
      var type = other.recordTypes[UserRecord.recordType]
    else { return self }
    type.grants = type.grants.filter {
      roles.contains($0.key) || Self.builtInRoles.contains($0.key)
    }
    var schema = self
    schema.recordTypes[UserRecord.recordType] = type
    return schema
  }

  /// Returns this schema, with the types that numbers have taken in another.
  ///
  /// A text that says NUMBER is content with INT64 and with DOUBLE.
  public func settlingNumbers(as other: Schema) -> Schema {
    var schema = self
    for (name, type) in recordTypes {
      for (fieldName, field) in type.fields {
        guard case .number = field.type, let settled = other.recordTypes[name]?.fields[fieldName],
          settled.type.isSettledNumber, settled.isEncrypted == field.isEncrypted
        else { continue }
        schema.recordTypes[name]?.fields[fieldName]?.type = settled.type
      }
    }
    return schema
  }

  /// Returns what production becomes when a schema of development is deployed to it.
  ///
  /// Types, fields and roles of production stay; indexes and grants follow development.
  ///
  /// - Throws: `invalidArguments` for a field that the two have with different types.
  public func deploying(_ development: Schema) throws(ItemError) -> Schema {
    var schema = self
    schema.roles.formUnion(development.roles)
    for (name, type) in development.recordTypes.sorted(by: { $0.key < $1.key }) {
      let before = recordTypes[name]?.fields ?? [:]
      // Without its index a system field has nothing to say.
      var fields = before.filter { !Self.isSystemField($0.key) }
      for (fieldName, field) in type.fields.sorted(by: { $0.key < $1.key }) {
        fields[fieldName] = try before[fieldName]?.deploying(field, "\(name).\(fieldName)") ?? field
      }
      schema.recordTypes[name] = RecordType(fields: fields, grants: type.grants)
    }
    return schema
  }
}

extension Schema.Field {
  fileprivate func deploying(
    _ development: Self,
    _ subject: String
  ) throws(ItemError) -> Self {
    guard isEncrypted == development.isEncrypted else { throw conflict(development, subject) }
    var field = development
    switch (type, development.type) {
    case (let type, let other) where type == other: break
    case (.number(preferred: nil), let other) where other.isSettledNumber: break
    case (.number(let preferred?), .values(let kind)) where kind == preferred.kind: break
    case (let type, .number) where type.isSettledNumber: field.type = type
    default: throw conflict(development, subject)
    }
    return field
  }

  private func conflict(_ development: Self, _ subject: String) -> ItemError {
    ItemError(
      .invalidArguments,
      "'\(subject)' is \(text) in production and \(development.text) in development: what is in "
        + "production keeps its type; use another field in development"
    )
  }
}

extension Schema.FieldType {
  /// It is INT64 or DOUBLE.
  var isSettledNumber: Bool { self == .values(.int64) || self == .values(.double) }
}
