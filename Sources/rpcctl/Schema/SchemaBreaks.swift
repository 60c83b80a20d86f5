internal import TidingsModel

/// Incompatible changes between two schemas, for clients of the old one.
enum SchemaBreaks {
  /// Returns the findings: errors for incompatible changes, warnings for possible ones, notes for slower queries.
  ///
  /// - Parameters:
  ///   - old: The schema that clients use, in the schema language.
  ///   - new: The new schema.
  ///   - names: The names of the two for messages.
  /// - Returns: The findings; their lines are those of the new text.
  /// - Throws: `LocalFailure` with line, column and error.
  static func findings(
    from old: String,
    to new: String,
    names: (old: String, new: String)
  ) throws(LocalFailure) -> [SchemaFinding] {
    let before = try schema(old, names.old)
    let after = try schema(new, names.new).keepingUserRecords(of: before)
    let lines = SchemaLines(new)
    return before.changes(to: after.settlingNumbers(as: before)).compactMap { change in
      guard var finding = finding(change, in: after) else { return nil }
      finding.line = lines[finding.subject]
      return finding
    }
  }

  private static func schema(_ text: String, _ name: String) throws(LocalFailure) -> Schema {
    do {
      return try Schema(text: text)
    } catch {
      throw LocalFailure("\(name), \(error)")
    }
  }

  private static func finding(_ change: SchemaChange, in after: Schema) -> SchemaFinding? {
    func found(_ level: SchemaFinding.Level, _ message: String) -> SchemaFinding {
      SchemaFinding(level: level, subject: change.subject, message: message)
    }
    switch change {
    case .recordType(_, isAdded: false):
      return found(.error, "the type is removed: saves and queries fail")
    case .role(_, isAdded: false):
      return found(.error, "the role is removed: its users lose its permissions")
    case .recordType, .role, .field(_, _, before: nil, _): return nil
    case .field(_, _, let before?, let after?):
      return fieldFinding(before, after, found)
    case .field(let name, let type, let before?, after: nil):
      // Removed fields of a removed type are not reported; a system field exists without a line.
      guard after.recordTypes[type] != nil else { return nil }
      return name.hasPrefix("_")
        ? found(.note, "the index is removed: queries that use it become slow (\(before.text))")
        : found(.error, "the field is removed: saves and queries that use it fail")
    case .grant(let role, let type, let before, let now):
      guard after.recordTypes[type] != nil else { return nil }
      let lost = before.subtracting(now)
      guard !lost.isEmpty else { return nil }
      return found(.error, "\"\(role)\" loses \(lost.text): calls that require it fail")
    }
  }

  private static func fieldFinding(
    _ before: Schema.Field,
    _ after: Schema.Field,
    _ found: (SchemaFinding.Level, String) -> SchemaFinding
  ) -> SchemaFinding? {
    if before.isEncrypted != after.isEncrypted {
      return found(
        .error,
        after.isEncrypted
          ? "the field becomes ENCRYPTED: plain values are rejected, and it cannot be queried"
          : "the field is no longer ENCRYPTED: encrypted values are rejected"
      )
    }
    switch (before.type, after.type) {
    case (let old, let new) where old == new: break
    case (.number(preferred: nil), .values), (.number, .number): break
    case (.number(let preferred?), .values(let kind)) where kind == preferred.kind: break
    case (let old, let new):
      return found(
        .error,
        "the type changes from \(old.text) to \(new.text): values of the old type are rejected"
      )
    }
    let lost = before.indexes.subtracting(after.indexes)
    guard !lost.isEmpty else { return nil }
    return lost.contains(.searchable)
      ? found(.warning, "the field is no longer SEARCHABLE: text searches become slow or fail")
      : after.indexes.isOrdered
        ? nil : found(.note, "the index is removed (\(lost.text)): queries that use it become slow")
  }
}
