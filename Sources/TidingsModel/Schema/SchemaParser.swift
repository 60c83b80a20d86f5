extension Schema {
  /// Reads the schema language.
  ///
  /// Comments are dropped, and so are system fields without an index.
  ///
  /// - Throws: What is wrong first, with its place.
  public init(text: String) throws(SchemaError) {
    var parser = SchemaParser(text)
    self = try parser.parse()
  }
}

/// Reads a schema; nothing in the language nests, so nothing here recurses.
struct SchemaParser {
  private var scanner: SchemaScanner
  private var schema = Schema()
  /// Where each role is first given a right.
  private var grantedRoles: [String: Int] = [:]

  init(_ text: String) { scanner = SchemaScanner(text) }

  /// The schema that the text is.
  mutating func parse() throws(SchemaError) -> Schema {
    try expect(.define)
    try expect(.schema)
    while !scanner.isAtEnd {
      if scanner.take(.create) {
        try expect(.role)
        try declareRole()
      } else if scanner.take(.record) {
        try expect(.type)
        try declareRecordType()
      } else {
        throw scanner.expected("RECORD TYPE, CREATE ROLE or the end of the text")
      }
      try expect(";")
    }
    try checkRoles()
    return schema
  }

  // MARK: Roles

  private mutating func declareRole() throws(SchemaError) {
    let name = try scanner.name("the name of a role")
    if Schema.builtInRoles.contains(name.text) {
      throw scanner.error(
        "the role \(name.text) is there already: remove this line",
        at: name.offset
      )
    }
    if let problem = Identifier.problem(inRole: name.text) {
      throw scanner.error(problem, at: name.offset)
    }
    guard schema.roles.insert(name.text).inserted else {
      throw scanner.error("the role '\(name.text)' is created twice", at: name.offset)
    }
  }

  private func checkRoles() throws(SchemaError) {
    let unknown = grantedRoles.filter {
      !schema.roles.contains($0.key) && !Schema.builtInRoles.contains($0.key)
    }
    guard let first = unknown.min(by: { $0.value < $1.value }) else { return }
    throw scanner.error(
      "there is no role \(Identifier.shown(first.key)): create it with CREATE ROLE, or use "
        + "\"_world\" (anyone), \"_icloud\" (users) or \"_creator\"",
      at: first.value
    )
  }

  // MARK: Record types

  private mutating func declareRecordType() throws(SchemaError) {
    let name = try ownName("the name of a record type")
    if let problem = Identifier.problem(inRecordType: name.text) {
      throw scanner.error(problem, at: name.offset)
    }
    guard schema.recordTypes[name.text] == nil else {
      throw scanner.error(
        "the record type '\(name.text)' is defined twice: put all its fields into one",
        at: name.offset
      )
    }
    var type = Schema.RecordType()
    // System fields without an index are not kept, and still stand there once.
    var systemFields: Set<String> = []
    try expect("(")
    if !scanner.take(")") {
      repeat {
        if scanner.take(.grant) {
          try readGrant(into: &type)
        } else {
          try readField(into: &type, &systemFields)
        }
      } while scanner.take(",")
      guard scanner.take(")") else { throw scanner.expected(whatMayFollow) }
    }
    if name.text == UserRecord.recordType { try checkGrants(onUsersIn: type, at: name.offset) }
    schema.recordTypes[name.text] = type
  }

  /// Users create and write their own records only.
  private func checkGrants(
    onUsersIn type: Schema.RecordType,
    at offset: Int
  ) throws(SchemaError) {
    for (role, rights) in type.grants.sorted(by: { $0.key < $1.key }) {
      let allowed: Schema.Rights =
        switch role {
        case "_creator": [.read, .create, .write]
        case "_icloud": [.read, .create]
        default: .read
        }
      let excess = rights.subtracting(allowed)
      guard !excess.isEmpty else { continue }
      throw scanner.error(
        "the type '\(UserRecord.recordType)' grants \(excess.text) to '\(role)': a user's record is written by its "
          + "user only; grant others READ",
        at: offset
      )
    }
  }

  /// After a field or a grant.
  private var whatMayFollow: String { "',' or ')'" }

  private mutating func readGrant(into type: inout Schema.RecordType) throws(SchemaError) {
    var rights: Schema.Rights = []
    repeat {
      guard let (word, right) = SchemaWord.rights.first(where: { $0.word == scanner.word }) else {
        throw scanner.expected("READ, CREATE or WRITE")
      }
      _ = scanner.take(word)
      rights.insert(right)
    } while scanner.take(",")
    guard scanner.take(.to) else { throw scanner.expected("',' or TO and a role") }
    let role = try scanner.name("the name of a role")
    if grantedRoles[role.text] == nil { grantedRoles[role.text] = role.offset }
    type.grants[role.text, default: []].formUnion(rights)
  }

  // MARK: Fields

  private mutating func readField(
    into type: inout Schema.RecordType,
    _ systemFields: inout Set<String>
  ) throws(SchemaError) {
    let name = try ownName("a field or GRANT")
    let typeOffset = scanner.offset
    var field = try readType()
    let indexOffset = scanner.offset
    field.indexes = try readIndexes()
    if !Schema.isSystemField(name.text) {
      try check(name)
    } else {
      try check(name, field, typeOffset: typeOffset, indexOffset: indexOffset)
      guard systemFields.insert(name.text).inserted else { throw standsTwice(name) }
      if field.indexes.isEmpty { return }
    }
    if let problem = field.problem { throw scanner.error(problem, at: typeOffset) }
    guard type.fields.updateValue(field, forKey: name.text) == nil else { throw standsTwice(name) }
  }

  private func standsTwice(_ name: SchemaScanner.Name) -> SchemaError {
    scanner.error(
      "the field '\(name.text)' appears twice in the record type: remove one",
      at: name.offset
    )
  }

  private func check(_ name: SchemaScanner.Name) throws(SchemaError) {
    if let problem = Identifier.problem(inFieldName: name.text) {
      throw scanner.error(problem, at: name.offset)
    }
    if let problem = SystemField.problem(inUserFieldName: name.text) {
      let index = SystemField(name: name.text).map {
        "; an index of that is declared with \"\($0.schemaName)\""
      }
      throw scanner.error(problem + (index ?? ""), at: name.offset)
    }
  }

  private func check(
    _ name: SchemaScanner.Name,
    _ field: Schema.Field,
    typeOffset: Int,
    indexOffset: Int
  ) throws(SchemaError) {
    guard let system = SystemField(name: name.text) else {
      throw scanner.error(
        "there is no system field \(Identifier.shown(name.text)): the names are "
          + Set(SystemField.allCases.map(\.schemaName)).sorted().joined(separator: ", "),
        at: name.offset
      )
    }
    guard field.type == .values(system.kind), !field.isEncrypted else {
      throw scanner.error(
        "the system field \(name.text) is \(system.kind.rawValue)",
        at: typeOffset
      )
    }
    if field.indexes.contains(.searchable) {
      throw scanner.error("a system field is not SEARCHABLE", at: indexOffset)
    }
  }

  private mutating func readType() throws(SchemaError) -> Schema.Field {
    guard scanner.take(.list) else { return try readSingleType() }
    try expect("<")
    let offset = scanner.offset
    let member = try readSingleType()
    guard case .values(let kind) = member.type, let list = kind.list else {
      throw scanner.error(
        "a list has members of one type: write LIST<INT64> or LIST<DOUBLE>",
        at: offset
      )
    }
    try expect(">")
    return Schema.Field(.values(list), isEncrypted: member.isEncrypted)
  }

  private mutating func readSingleType() throws(SchemaError) -> Schema.Field {
    let isEncrypted = scanner.take(.encrypted)
    if scanner.take(.number) {
      return Schema.Field(.number(preferred: try readPreference()), isEncrypted: isEncrypted)
    }
    if scanner.word == .list {
      throw scanner.error(
        isEncrypted
          ? "write LIST<ENCRYPTED …>" : "a list has no lists as members: use several fields"
      )
    }
    let before = scanner
    let name = try scanner.name(Self.types)
    guard !name.isQuoted, let kind = FieldValue.Kind(rawValue: name.text.uppercased()),
      !kind.isList, !kind.isEncrypted
    else { throw before.expected(Self.types) }
    return Schema.Field(.values(kind), isEncrypted: isEncrypted)
  }

  private mutating func readPreference() throws(SchemaError) -> Schema.Number? {
    guard scanner.take(.preferred) else { return nil }
    try expect(.as)
    let before = scanner
    let name = try scanner.name("INT64 or DOUBLE")
    guard let number = Schema.Number(rawValue: name.text.uppercased()) else {
      throw before.expected("INT64 or DOUBLE")
    }
    return number
  }

  private mutating func readIndexes() throws(SchemaError) -> Schema.Indexes {
    var indexes: Schema.Indexes = []
    while let (word, index) = SchemaWord.indexes.first(where: { $0.word == scanner.word }) {
      _ = scanner.take(word)
      indexes.insert(index)
    }
    guard scanner.isNext(",") || scanner.isNext(")") else {
      throw scanner.expected("QUERYABLE, SORTABLE, SEARCHABLE, \(whatMayFollow)")
    }
    return indexes
  }

  private static let types =
    "a type (STRING, INT64, DOUBLE, NUMBER, BYTES, TIMESTAMP, LOCATION, REFERENCE, ASSET, LIST<…> "
    + "or ENCRYPTED …)"

  // MARK: Words

  /// A name of the writer's own: reserved words are quoted.
  private mutating func ownName(_ what: String) throws(SchemaError) -> SchemaScanner.Name {
    let name = try scanner.name(what)
    if let word = name.word, word.isReserved {
      throw scanner.error(
        "\(word.rawValue) is a keyword: to use it as a name, quote it, "
          + "\"\(name.text)\"",
        at: name.offset
      )
    }
    return name
  }

  private mutating func expect(_ word: SchemaWord) throws(SchemaError) {
    guard scanner.take(word) else { throw scanner.expected(word.rawValue) }
  }

  private mutating func expect(_ symbol: Unicode.Scalar) throws(SchemaError) {
    guard scanner.take(symbol) else { throw scanner.expected("'\(symbol)'") }
  }
}
