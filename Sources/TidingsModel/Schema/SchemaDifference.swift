extension Schema {
  /// The changes that make another schema of this one: roles, then types, sorted by name.
  ///
  /// A type that is new or gone comes with all that it holds.
  public func changes(to other: Schema) -> [SchemaChange] {
    var changes = Self.sortedNames(roles, other.roles)
      .filter { roles.contains($0) != other.roles.contains($0) }
      .map { SchemaChange.role($0, isAdded: other.roles.contains($0)) }
    for name in Self.sortedNames(recordTypes.keys, other.recordTypes.keys) {
      let (before, after) = (recordTypes[name], other.recordTypes[name])
      let parts = (before ?? RecordType()).changes(to: after ?? RecordType(), of: name)
      if before == nil { changes.append(.recordType(name, isAdded: true)) }
      changes += parts
      if after == nil { changes.append(.recordType(name, isAdded: false)) }
    }
    return changes
  }

  fileprivate static func sortedNames(
    _ some: some Sequence<String>,
    _ others: some Sequence<String>
  ) -> [String] { Set(some).union(others).sorted() }
}

extension Schema.RecordType {
  fileprivate func changes(to other: Self, of type: String) -> [SchemaChange] {
    var changes: [SchemaChange] = []
    for name in Schema.sortedNames(fields.keys, other.fields.keys)
    where fields[name] != other.fields[name] {
      changes.append(.field(name, of: type, before: fields[name], after: other.fields[name]))
    }
    for role in Schema.sortedNames(grants.keys, other.grants.keys)
    where grants[role] != other.grants[role] {
      changes.append(
        .grant(
          to: role,
          on: type,
          before: grants[role] ?? [],
          after: other.grants[role] ?? []
        )
      )
    }
    return changes
  }
}
