internal import TidingsModel

/// Finds probable mistakes and style problems in a schema.
struct SchemaLint {
  private let schema: Schema
  private let lines: SchemaLines
  private var findings: [SchemaFinding] = []

  /// Returns the findings on a schema, in the order of its lines.
  ///
  /// - Parameters:
  ///   - text: The schema, in the schema language.
  ///   - name: The file's name in messages.
  /// - Returns: The findings.
  /// - Throws: `LocalFailure` with line, column and error.
  static func findings(_ text: String, name: String) throws(LocalFailure) -> [SchemaFinding] {
    let schema: Schema
    do {
      schema = try Schema(text: text)
    } catch {
      throw LocalFailure("\(name), \(error)")
    }
    var lint = SchemaLint(schema: schema, lines: SchemaLines(text))
    lint.checkNames()
    lint.checkRoles()
    for (name, type) in schema.recordTypes.sorted(by: { $0.key < $1.key }) {
      lint.checkGrants(of: type, name)
      lint.checkFields(of: type, name)
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

  private mutating func checkNames() {
    findSimilarNames(Array(schema.recordTypes.keys)) { $0 }
    for (name, type) in schema.recordTypes {
      if let first = name.first, first.isLowercase {
        add(.note, name, "type names should start with a capital letter, as in CloudKit")
      }
      findSimilarNames(Array(type.fields.keys)) { "\(name).\($0)" }
      for field in type.fields.keys where field.first?.isUppercase ?? false {
        add(.note, "\(name).\(field)", "field names should start with a lower-case letter")
      }
    }
  }

  /// Reports names that differ only in case or underscores.
  private mutating func findSimilarNames(_ names: [String], _ subject: (String) -> String) {
    let groups = Dictionary(grouping: names) { $0.lowercased().filter { $0 != "_" } }
    for twins in groups.values where twins.count > 1 {
      let sorted = twins.sorted()
      for twin in sorted.dropFirst() where !twin.hasPrefix("_") {
        add(
          .warning,
          subject(twin),
          "the name differs from '\(sorted[0])' only in case or underscores: check for a typo"
        )
      }
    }
  }

  // MARK: Roles and grants

  private mutating func checkRoles() {
    let granted = Set(schema.recordTypes.values.flatMap(\.grants.keys))
    for role in schema.roles.subtracting(granted).sorted() {
      add(
        .warning,
        "ROLE \(role)",
        "no type grants anything to the role: add GRANT … TO \"\(role)\""
      )
    }
  }

  private mutating func checkGrants(of type: Schema.RecordType, _ name: String) {
    guard !type.grants.isEmpty else {
      add(
        .warning,
        name,
        "the type has no GRANT, so nobody can use it in the public database: the grants of new types are "
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
          "every user may change and delete every record of the type: to allow this to creators only, "
            + "grant WRITE TO \"_creator\""
        )
      }
      if role == "_world", rights.contains(.create) {
        add(
          .note,
          subject,
          "guests cannot create records: grant CREATE to \"_icloud\", which has the same effect"
        )
      }
      if role == "_creator", rights.contains(.create) {
        add(.warning, subject, "a new record has no creator yet: grant CREATE to \"_icloud\"")
      }
      if rights.contains(.write), !reads(role, type) {
        add(.warning, subject, "writing requires reading: grant READ, too")
      }
    }
  }

  /// Returns whether a role may read, by itself or by a role that it includes.
  private func reads(_ role: String, _ type: Schema.RecordType) -> Bool {
    [role, "_world", "_icloud"].contains { type.grants[$0]?.contains(.read) ?? false }
  }

  // MARK: Fields

  private mutating func checkFields(of type: Schema.RecordType, _ name: String) {
    if !type.fields.keys.contains(where: { !$0.hasPrefix("_") }) {
      add(.note, name, "the type has no fields: production accepts only records without fields")
    }
    for (fieldName, field) in type.fields.sorted(by: { $0.key < $1.key }) {
      let subject = "\(name).\(fieldName)"
      if case .number(preferred: nil) = field.type {
        add(
          .warning,
          subject,
          "the first saved value makes it INT64 or DOUBLE permanently: declare the type, or PREFERRED AS"
        )
      }
      if field.isEncrypted, case .values(let kind) = field.type, kind.isList {
        add(.warning, subject, "lists of encrypted values are not supported: no value can be saved")
      }
      if field.indexes.isSuperset(of: [.queryable, .sortable]) {
        add(.note, subject, "QUERYABLE and SORTABLE share one index: one of them is enough")
      }
    }
  }
}
