internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

/// Schemas in the engine: learned, applied, deployed, enforced.
@Suite struct SchemaEngineTests {
  /// An engine, and beside it a reader.
  private final class Store {
    private(set) var engine: Engine
    private let store: TestDatabase
    private let limits: Limits

    init(_ limits: Limits = Limits()) throws {
      store = try TestDatabase()
      self.limits = limits
      engine = try Self.engine(store, limits)
    }

    private static func engine(_ store: TestDatabase, _ limits: Limits) throws -> Engine {
      try Engine(
        store.connect(),
        limits: limits,
        clock: { ClockReading(undisturbed: Timestamp(millisecondsSince1970: 1)) }
      )
    }

    func reopen() throws { engine = try Self.engine(store, limits) }

    func commit<Result>(_ body: (Engine) throws -> Result) throws -> Result {
      try engine.begin()
      do {
        let result = try body(engine)
        _ = try engine.commit()
        return result
      } catch {
        engine.rollback()
        throw error
      }
    }

    private lazy var reader: EngineReader? = try? EngineReader(
      store.connect(readsOnly: true),
      limits: limits
    )

    func info(_ environment: Environment = .development) throws -> SchemaInfo {
      let reader = try #require(reader)
      return try reader.withSnapshot { try reader.schema(of: "c", environment) }
    }

    func text(_ environment: Environment = .development) throws -> String {
      try info(environment).schema.text
    }

    /// The reasons why records are refused; `nil` for those that are saved.
    @discardableResult
    func save(
      _ environment: Environment = .development,
      _ records: (type: String, name: String, fields: RecordFields)...
    ) throws -> [ItemError?] {
      try save(environment, records)
    }

    func save(
      _ environment: Environment,
      _ records: [(type: String, name: String, fields: RecordFields)]
    ) throws -> [ItemError?] {
      try commit { engine in
        let modified = try engine.modifyRecords(
          RecordChanges(
            database: database(environment),
            saves: records.map {
              Record(
                recordID: RecordID(recordName: $0.name),
                recordType: $0.type,
                fields: $0.fields
              )
            },
            deletions: [],
            policy: .allKeys,
            isAtomic: false
          ),
          caller: Caller(user: "ada", device: "")
        )
        return modified.outcomes.map { outcome in
          if case .failed(_, let error, _) = outcome { error } else { nil }
        }
      }
    }

    func delete(_ names: String...) throws {
      _ = try commit { engine in
        try engine.modifyRecords(
          RecordChanges(
            database: database(.development),
            saves: [],
            deletions: names.map { RecordID(recordName: $0) },
            policy: .allKeys
          ),
          caller: Caller(user: "ada", device: "")
        )
      }
    }

    @discardableResult
    func apply(_ types: String, dryRun: Bool = false) throws -> [SchemaChange] {
      try commit { try $0.applySchema("DEFINE SCHEMA \(types)", to: "c", isDryRun: dryRun) }
    }

    @discardableResult
    func deploy(dryRun: Bool = false) throws -> [SchemaChange] {
      try commit { try $0.deploySchema(of: "c", isDryRun: dryRun) }
    }

    func refusal(_ body: () throws -> Void) -> ItemError? {
      do {
        try body()
        return nil
      } catch {
        return error as? ItemError
      }
    }

    private func database(_ environment: Environment) -> DatabaseID {
      DatabaseID(container: "c", environment: environment, scope: .private, owner: "ada")
    }
  }

  private let grants = """
            GRANT WRITE TO "_creator",
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );

    """

  @Test("development learns types, with and without fields, and keeps them")
  func learns() throws {
    let store = try Store()
    #expect(try store.info() == SchemaInfo(schema: Schema(), indexes: [], version: 0))
    try store.save(.development, ("House", "h", ["price": .int64(1), "tags": .unknownList]))
    try store.save(.development, ("Empty", "e", [:]))
    let text =
      "DEFINE SCHEMA\n\n    RECORD TYPE Empty (\n\(grants)"
      + "\n    RECORD TYPE House (\n        price INT64,\n\(grants)"
    #expect(try store.text() == text)
    let version = try store.info().version
    try store.reopen()
    #expect(try store.text() == text)
    try store.save(.development, ("House", "h", ["price": .int64(2)]))
    #expect(try store.info().version == version, "nothing was learned")
    try store.save(.development, ("House", "h", ["city": .string("")]))
    #expect(try store.info().version > version)
  }

  @Test("what a transaction learned that was rolled back is not known")
  func rollback() throws {
    let store = try Store()
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try store.commit { engine in
        _ = try engine.applySchema(
          "DEFINE SCHEMA RECORD TYPE T (a INT64);",
          to: "c",
          isDryRun: false
        )
        throw Stop()
      }
    }
    #expect(try store.save(.development, ("T", "t", ["a": .string("x")])) == [nil])
  }

  @Test("a schema has bounds, and a save that exceeds one says which")
  func limits() throws {
    var limits = Limits()
    (limits.recordTypesMax, limits.fieldsPerTypeMax) = (2, 3)
    let store = try Store(limits)
    let results = try store.save(
      .development,
      ("A", "a", ["a": .int64(1), "b": .int64(1)]),
      ("A", "b", ["c": .int64(1), "d": .int64(1)]),
      ("A", "c", ["c": .int64(1)]),
      ("B", "d", [:]),
      ("C", "e", [:])
    )
    #expect(results.map { $0?.code } == [nil, .limitExceeded, nil, nil, .limitExceeded])
    #expect(
      results[1]?.message
        == "record 'b': field 'd' of record type 'A' would be one too many: a record type may have 3; use a "
        + "list, or a record for each value"
    )
    #expect(
      results[4]?.message.hasPrefix("record 'e': record type 'C' would be one too many") == true
    )
    #expect(try store.save(.development, ("A", "a", ["d": .int64(1)]))[0]?.code == .limitExceeded)
    #expect(try store.save(.development, ("A", "a", ["a": .int64(2)])) == [nil])
    #expect(
      store.refusal { try store.apply("RECORD TYPE A (a INT64, b INT64, c INT64, d INT64);") }?.code
        == .limitExceeded
    )
    #expect(
      store.refusal { try store.apply("RECORD TYPE A (); RECORD TYPE B (); RECORD TYPE C ();") }?
        .code
        == .limitExceeded
    )
  }

  @Test("what is learned always fits into a text that can be applied")
  func textBound() throws {
    var limits = Limits()
    limits.schemaBytesMax = 4_000
    let store = try Store(limits)
    var (saved, refused) = (0, 0)
    for number in 0..<60 {
      let name = String(repeating: "n", count: number) + "x"
      let type = "T\(number / 5)"
      switch try store.save(.development, (type, "r\(number)", [name: .unknownTypeSample]))[0]?.code
      {
      case nil: saved += 1
      case .limitExceeded: refused += 1
      case let code: Issue.record("\(String(describing: code))")
      }
    }
    #expect(saved > 5 && refused > 5)
    let text = try store.text()
    #expect(text.utf8.count <= limits.schemaBytesMax)
    #expect(try store.commit { try $0.applySchema(text, to: "c", isDryRun: false) } == [])
    #expect(
      store.refusal { try store.apply(String(repeating: " ", count: 4_000)) }?.code
        == .limitExceeded
    )
  }

  @Test("applying changes what the text changes, shows it, and is idempotent")
  func apply() throws {
    let store = try Store()
    try store.save(.development, ("House", "h", ["price": .int64(1)]))
    let text = """
      CREATE ROLE editor;
      RECORD TYPE House (
        "___modTime" TIMESTAMP SORTABLE, price INT64 QUERYABLE, city STRING SEARCHABLE QUERYABLE,
        GRANT READ TO "_world", GRANT READ, WRITE TO editor);
      """
    let dry = try store.apply(text, dryRun: true)
    #expect(try store.info().indexes == [])
    let changes = try store.apply(text)
    #expect(changes == dry)
    #expect(
      changes.map { "\($0.kind) \($0.subject): \($0.before) -> \($0.after)" } == [
        "added ROLE editor:  -> CREATE ROLE editor",
        "added House.___modTime:  -> TIMESTAMP SORTABLE",
        "added House.city:  -> STRING QUERYABLE SEARCHABLE",
        "changed House.price: INT64 -> INT64 QUERYABLE",
        #"removed House GRANT TO "_creator": GRANT WRITE TO "_creator" -> "#,
        #"removed House GRANT TO "_icloud": GRANT CREATE TO "_icloud" -> "#,
        #"added House GRANT TO "editor":  -> GRANT READ, WRITE TO "editor""#,
      ]
    )
    #expect(
      try store.info().indexes.map { "\($0.recordType).\($0.fieldName) \($0.isOrdered)" } == [
        "House.___modTime true", "House.city true", "House.city false", "House.price true",
      ]
    )
    #expect(try store.apply(text) == [])
    #expect(try store.apply(text.replacing("TIMESTAMP SORTABLE", with: "TIMESTAMP")).count == 1)
    #expect(try store.info().indexes.map(\.fieldName) == ["city", "city", "price"])
    let error = store.refusal { try store.apply("RECORD TYPE T (a INT63);") }
    #expect(error?.code == .invalidArguments)
    #expect(error?.message.hasPrefix("the text is no schema: line 1, column 32: expected") == true)
  }

  @Test("what records use can be neither removed nor changed; what nothing uses can")
  func removal() throws {
    let store = try Store()
    try store.apply(
      "RECORD TYPE T (a INT64, b INT64, c INT64); RECORD TYPE U (); RECORD TYPE V ();"
    )
    try store.save(.development, ("T", "t", ["a": .int64(1)]), ("V", "v", [:]))
    for text in [
      "RECORD TYPE V ();", "RECORD TYPE T (a STRING); RECORD TYPE V ();",
      "RECORD TYPE T (); RECORD TYPE V ();", "RECORD TYPE T (a INT64);",
    ] {
      #expect(store.refusal { try store.apply(text) }?.code == .invalidArguments, "\(text)")
    }
    // No record ever had b, c or the type U.
    try store.apply("RECORD TYPE T (a INT64, b STRING); RECORD TYPE V ();")
    #expect(try store.save(.development, ("T", "t", ["b": .string("")])) == [nil])

    try store.delete("t", "v")
    try store.apply("RECORD TYPE T (a STRING);")
    try store.apply("RECORD TYPE T (a NUMBER);")
    #expect(try store.save(.development, ("T", "t", ["a": .double(1)])) == [nil])
    #expect(try store.text() == "DEFINE SCHEMA\n\n    RECORD TYPE T (\n        a DOUBLE\n    );\n")
    #expect(store.refusal { try store.apply("") }?.code == .invalidArguments)
  }

  @Test("an empty list of no type uses a field too")
  func emptyList() throws {
    let store = try Store()
    try store.apply("RECORD TYPE T (a LIST<INT64>);")
    try store.save(.development, ("T", "t", ["a": .unknownList]))
    #expect(store.refusal { try store.apply("RECORD TYPE T (a STRING);") } != nil)
  }

  @Test("the first value decides what a NUMBER is, unless a type is preferred")
  func numbers() throws {
    let store = try Store()
    let text = "RECORD TYPE T (a NUMBER, b NUMBER PREFERRED AS DOUBLE, c NUMBER SORTABLE);"
    try store.apply(text)
    let results = try store.save(
      .development,
      ("T", "1", ["a": .int64(1), "b": .int64(1)]),
      ("T", "2", ["a": .string("x")]),
      ("T", "3", ["a": .double(1), "b": .double(1)]),
      ("T", "4", ["a": .int64(1)])
    )
    #expect(
      results.map { $0?.code } == [.invalidArguments, .invalidArguments, nil, .invalidArguments]
    )
    #expect(
      results[0]?.message
        == "record '1': field 'b' of record type 'T' is DOUBLE and cannot hold INT64: send DOUBLE, or use "
        + "another field"
    )
    let fields = try store.info().schema.recordTypes["T"]?.fields
    #expect(fields?["a"]?.type == .values(.double))
    #expect(fields?["c"] == Schema.Field(.number(preferred: nil), indexes: .sortable))
    #expect(try store.apply(text) == [])

    // What one environment chose binds the other.
    try store.deploy()
    #expect(try store.save(.production, ("T", "1", ["c": .int64(1)])) == [nil])
    #expect(try store.save(.development, ("T", "1", ["c": .double(1)]))[0] != nil)
    #expect(try store.save(.development, ("T", "1", ["c": .int64(1)])) == [nil])
    #expect(try store.deploy() == [])
  }

  @Test("a value is not saved into an encrypted field")
  func encrypted() throws {
    let store = try Store()
    try store.apply("RECORD TYPE T (a ENCRYPTED STRING);")
    let error = try store.save(.development, ("T", "t", ["a": .string("secret")]))[0]
    #expect(error?.code == .invalidArguments)
    #expect(error?.message.contains("the value is not encrypted") == true)
    #expect(try store.text().contains("a ENCRYPTED STRING"))
    try store.save(.development, ("T", "t", ["b": .string("clear")]))
    #expect(
      store.refusal { try store.apply("RECORD TYPE T (a STRING, b ENCRYPTED STRING);") } != nil
    )
  }

  @Test("production has what was deployed, and nothing else")
  func production() throws {
    let store = try Store()
    try store.save(.development, ("House", "h", ["price": .int64(1)]))
    let error = store.refusal { _ = try store.save(.production, ("House", "h", [:])) }
    #expect(error?.code == .badContainer)
    #expect(
      error?.message
        == "container 'c' does not exist in production: deploy its schema from development first "
        + "(rpcctl --container c schema deploy)"
    )
    #expect(store.refusal { _ = try store.info(.production) }?.code == .badContainer)

    #expect(try store.deploy(dryRun: true).count == 5)
    #expect(store.refusal { _ = try store.info(.production) }?.code == .badContainer)
    #expect(try store.deploy().count == 5)
    #expect(try store.deploy() == [])
    #expect(try store.text(.production) == store.text())
    let results = try store.save(
      .production,
      ("House", "h", ["price": .int64(1)]),
      ("House", "i", ["size": .int64(1)]),
      ("House", "j", ["list": .unknownList]),
      ("Boat", "b", [:]),
      ("House", "k", ["price": .string("x")])
    )
    #expect(results[0] == nil)
    let field = "Cannot create or modify field 'size' in record 'House' in production schema"
    #expect(results[1]?.message.contains(field) == true)
    #expect(results[2]?.message.contains("Cannot create or modify field 'list'") == true)
    #expect(
      results[3]?.message.contains("Cannot create new type Boat in production schema") == true
    )
    #expect(results.dropFirst().allSatisfy { $0?.code == .invalidArguments })

    // Development cannot take away what production has, though no record there uses it.
    try store.delete("h")
    for text in ["", "RECORD TYPE House ();", "RECORD TYPE House (price STRING);"] {
      let error = store.refusal { try store.apply(text) }
      #expect(error?.message.contains("production has it") == true, "\(text)")
    }
    try store.apply("RECORD TYPE House (price INT64 SORTABLE, size DOUBLE);")
    #expect(try store.deploy().count == 5, "three grants go, an index and a field come")
    try store.reopen()
    #expect(try store.text(.production) == store.text())
    #expect(try store.info(.production).indexes.map(\.fieldName) == ["price"])
    #expect(try store.save(.production, ("House", "h", ["size": .double(1)])) == [nil])
  }

  @Test("a container without types can be deployed too")
  func deployNothing() throws {
    let store = try Store()
    #expect(try store.deploy() == [])
    #expect(try store.text(.production) == "DEFINE SCHEMA\n")
    let error = try store.save(.production, ("T", "t", [:]))[0]
    #expect(error?.message.hasPrefix("record 't': Cannot create new type T") == true)
  }

  @Test("applying a text gives its schema", arguments: [1, 2, 3] as [UInt64])
  func applyProperty(seed: UInt64) throws {
    let store = try Store()
    var schemas = RandomSchemas(seed: seed)
    var current = Schema()
    for _ in 0..<40 {
      let wanted = schemas.schema()
      let changes = try store.commit { try $0.applySchema(wanted.text, to: "c", isDryRun: false) }
      let result = wanted.settlingNumbers(as: current)
      #expect(changes == current.changes(to: result), "seed \(seed)")
      current = result
      if schemas.random.oneIn(4) { try store.reopen() }
      let info = try store.info()
      #expect(info.schema == current, "seed \(seed)")
      #expect(info.indexes == declaredIndexes(current), "seed \(seed)")
    }
  }

  private func declaredIndexes(_ schema: Schema) -> [SchemaInfo.Index] {
    schema.recordTypes.sorted { $0.key < $1.key }.flatMap { type, recordType in
      recordType.fields.sorted { $0.key < $1.key }.flatMap { name, field in
        [(field.indexes.isOrdered, true), (field.indexes.contains(.searchable), false)]
          .filter(\.0)
          .map {
            SchemaInfo.Index(recordType: type, fieldName: name, isOrdered: $0.1, isReady: false)
          }
      }
    }
  }
}

extension FieldValue {
  /// A value whose type has the longest name.
  fileprivate static let unknownTypeSample = FieldValue.referenceList([])
}
