internal import TidingsModel

/// Looks for what is probably not meant in a schema, and for style.
struct SchemaLint {
  private let schema: Schema
  private let lines: SchemaLines
  private var findings: [SchemaFinding] = []

  /// What is to be said of a schema, in the order of its lines.
  ///
  /// - Parameters:
  ///   - text: In the schema language.
  ///   - name: How messages call the file.
  /// - Returns: The findings.
  /// - Throws: `LocalFailure` with line, column and what is wrong there.
  static func findings(_ text: String, name: String) throws(LocalFailure) -> [SchemaFinding] {
    let schema: Schema
    do {
      schema = try Schema(text: text)
    } catch {
      throw LocalFailure("\(name), \(error)")
    }
    var lint = SchemaLint(schema: schema, lines: SchemaLines(text))
    lint.lookAtNames()
    lint.lookAtRoles()
    for (name, type) in schema.recordTypes.sorted(by: { $0.key < $1.key }) {
      lint.lookAtGrants(of: type, name)
      lint.lookAtFields(of: type, name)
    }
    return lint.findings.enumerated().sorted {
      ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
    }.map(\.element)
  }

  private init(schema: Schema, lines: SchemaLines) {
    self.schema = schema
    self.lines = lines
  }

  private mutating func add(_ level: SchemaFinding.Level, _ subject: String, _ message: String) {
    findings.append(
      SchemaFinding(level: level, subject: subject, line: lines[subject], message: message)
    )
  }

  // MARK: Names

  private mutating func lookAtNames() {
    lookForTwins(Array(schema.recordTypes.keys)) { $0 }
    for (name, type) in schema.recordTypes {
      if let first = name.first, first.isLowercase {
        add(.note, name, "names of types begin with a capital letter, as CloudKit's do")
      }
      lookForTwins(Array(type.fields.keys)) { "\(name).\($0)" }
      for field in type.fields.keys where field.first?.isUppercase ?? false {
        add(.note, "\(name).\(field)", "names of fields begin with a small letter")
      }
    }
  }

  /// Names that differ in case, or in underscores, alone.
  private mutating func lookForTwins(_ names: [String], _ subject: (String) -> String) {
    let groups = Dictionary(grouping: names) { $0.lowercased().filter { $0 != "_" } }
    for twins in groups.values where twins.count > 1 {
      let sorted = twins.sorted()
      for twin in sorted.dropFirst() where !twin.hasPrefix("_") {
        add(
          .warning,
          subject(twin),
          "it differs from '\(sorted[0])' only in how it is written: is it a slip of the pen?"
        )
      }
    }
  }

  // MARK: Roles and grants

  private mutating func lookAtRoles() {
    let granted = Set(schema.recordTypes.values.flatMap(\.grants.keys))
    for role in schema.roles.subtracting(granted).sorted() {
      add(.warning, "ROLE \(role)", "no type grants anything to it: GRANT … TO \"\(role)\"")
    }
  }

  private mutating func lookAtGrants(of type: Schema.RecordType, _ name: String) {
    guard !type.grants.isEmpty else {
      add(
        .warning,
        name,
        "it has no GRANT: nobody can use it in the public database. As types are that records bring: "
          + "GRANT READ TO \"_world\", GRANT CREATE TO \"_icloud\", GRANT WRITE TO \"_creator\""
      )
      return
    }
    for (role, rights) in type.grants.sorted(by: { $0.key < $1.key }) {
      let subject = "\(name) GRANT TO \"\(role)\""
      if role == "_world" || role == "_icloud", rights.contains(.write) {
        add(
          .warning,
          subject,
          "every user may change and delete every record of the type; \"_creator\" is the one who "
            + "made it"
        )
      }
      if role == "_world", rights.contains(.create) {
        add(.note, subject, "who has no account cannot create: say \"_icloud\", which is the same")
      }
      if role == "_creator", rights.contains(.create) {
        add(.warning, subject, "nobody created what does not exist: give CREATE to \"_icloud\"")
      }
      if rights.contains(.write), !reads(role, type) {
        add(.warning, subject, "who may not read a record may not write it: grant READ too")
      }
    }
  }

  /// Whether who has a role may read, by that role or by one that it includes.
  private func reads(_ role: String, _ type: Schema.RecordType) -> Bool {
    [role, "_world", "_icloud"].contains { type.grants[$0]?.contains(.read) ?? false }
  }

  // MARK: Fields

  private mutating func lookAtFields(of type: Schema.RecordType, _ name: String) {
    if !type.fields.keys.contains(where: { !$0.hasPrefix("_") }) {
      add(.note, name, "it has no fields: production accepts records of it without any")
    }
    for (fieldName, field) in type.fields.sorted(by: { $0.key < $1.key }) {
      let subject = "\(name).\(fieldName)"
      if case .number(preferred: nil) = field.type {
        add(
          .warning,
          subject,
          "the first value that is saved makes it INT64 or DOUBLE for good: say which, or PREFERRED AS"
        )
      }
      if field.isEncrypted, case .values(let kind) = field.type, kind.isList {
        add(.warning, subject, "no value can be saved into a list of encrypted values")
      }
      if field.indexes.isSuperset(of: [.queryable, .sortable]) {
        add(.note, subject, "one index serves QUERYABLE and SORTABLE: either says both here")
      }
    }
  }
}
