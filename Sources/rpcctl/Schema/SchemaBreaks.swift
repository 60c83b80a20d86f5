internal import TidingsModel

/// What a new schema would break for clients that know the old one.
enum SchemaBreaks {
  /// The findings: errors for what breaks, warnings for what may, notes for what only gets slower.
  ///
  /// - Parameters:
  ///   - old: What clients know, in the schema language.
  ///   - new: What they would meet.
  ///   - names: How messages call the two.
  /// - Returns: The findings; their lines are those of the new text.
  /// - Throws: `LocalFailure` with line, column and what is wrong there.
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
      return found(.error, "the type is gone: what clients save and query fails")
    case .role(_, isAdded: false):
      return found(.error, "the role is gone: who has it loses its rights")
    case .recordType, .role, .field(_, _, before: nil, _): return nil
    case .field(_, _, let before?, let after?):
      return fieldFinding(before, after, found)
    case .field(let name, let type, let before?, after: nil):
      // With the type all of it is gone, which is said once; a system field is there without its line.
      guard after.recordTypes[type] != nil else { return nil }
      return name.hasPrefix("_")
        ? found(.note, "it loses its index: queries that need it get slow (\(before.text))")
        : found(.error, "the field is gone: saves and queries that name it fail")
    case .grant(let role, let type, let before, let now):
      guard after.recordTypes[type] != nil else { return nil }
      let lost = before.subtracting(now)
      guard !lost.isEmpty else { return nil }
      return found(.error, "\"\(role)\" loses \(lost.text): calls that need it fail")
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
          ? "it becomes ENCRYPTED: plain values are refused, and it can no longer be queried"
          : "it is no longer ENCRYPTED: encrypted values are refused"
      )
    }
    switch (before.type, after.type) {
    case (let old, let new) where old == new: break
    case (.number(preferred: nil), .values), (.number, .number): break
    case (.number(let preferred?), .values(let kind)) where kind == preferred.kind: break
    case (let old, let new):
      return found(
        .error,
        "it changes from \(old.text) to \(new.text): values of the old type are refused"
      )
    }
    let lost = before.indexes.subtracting(after.indexes)
    guard !lost.isEmpty else { return nil }
    return lost.contains(.searchable)
      ? found(.warning, "it is no longer SEARCHABLE: searches for its words get slow or fail")
      : after.indexes.isOrdered
        ? nil : found(.note, "it loses its index (\(lost.text)): queries that need it get slow")
  }
}
