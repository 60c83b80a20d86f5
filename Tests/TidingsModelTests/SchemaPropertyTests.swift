import RandomSupport
import Testing

@testable import TidingsModel

/// What holds for all schemas.
@Suite struct SchemaPropertyTests {
  @Test("a schema reads back from its text", arguments: [1, 2, 3] as [UInt64])
  func roundTrip(seed: UInt64) throws {
    var schemas = RandomSchemas(seed: seed)
    for _ in 0..<400 {
      let schema = schemas.schema()
      #expect(try Schema(text: schema.text) == schema, "seed \(seed)\n\(schema.text)")
      #expect(try Schema(text: schema.text).text == schema.text, "seed \(seed)")
    }
  }

  @Test("the changes between two schemas make one of the other", arguments: [1, 2, 3] as [UInt64])
  func difference(seed: UInt64) throws {
    var schemas = RandomSchemas(seed: seed)
    for _ in 0..<400 {
      let (a, b) = (schemas.schema(), schemas.schema())
      let changes = a.changes(to: b)
      #expect(a.applying(changes) == b, "seed \(seed)")
      #expect(changes.isEmpty == (a == b), "seed \(seed)")
      #expect(b.changes(to: a).count == changes.count, "seed \(seed)")
      for change in changes {
        #expect(change.before != change.after && !change.subject.isEmpty, "\(change)")
        #expect((change.kind == .added) == change.before.isEmpty, "\(change)")
        #expect((change.kind == .removed) == change.after.isEmpty, "\(change)")
      }
    }
  }

  @Test(
    "deploying loses nothing of production and brings all of development",
    arguments: [1, 2, 3] as [UInt64]
  )
  func deployment(seed: UInt64) throws {
    var schemas = RandomSchemas(seed: seed)
    var (deployed, refused) = (0, 0)
    for _ in 0..<400 {
      let production = schemas.schema()
      let development = schemas.variation(of: production)
      guard let result = try? production.deploying(development) else {
        refused += 1
        continue
      }
      deployed += 1
      for change in production.changes(to: result) where change.mayLoseData {
        // Only a number that had no type may take one.
        guard case .field(_, _, let before?, let after?) = change, case .number = before.type else {
          Issue.record("seed \(seed): \(change)")
          continue
        }
        #expect(after.type.isSettledNumber, "seed \(seed): \(change)")
      }
      for change in result.changes(to: development) {
        switch change.kind {
        case .added: Issue.record("seed \(seed): missing \(change)")
        case .changed:
          guard case .field(_, _, let before?, let after?) = change else {
            Issue.record("seed \(seed): \(change)")
            continue
          }
          #expect(before.type.isSettledNumber && before.indexes == after.indexes, "\(change)")
        case .removed: break
        }
      }
      #expect(try result.deploying(development) == result, "seed \(seed)")
    }
    #expect(deployed > 0 && refused > 0)
  }

  @Test("NUMBER in a text is content with the number that was chosen")
  func settledNumbers() throws {
    func schema(_ type: String) throws -> Schema {
      try Schema(text: "DEFINE SCHEMA RECORD TYPE T (a \(type) QUERYABLE);")
    }
    for settled in ["INT64", "DOUBLE"] {
      let current = try schema(settled)
      #expect(try schema("NUMBER").settlingNumbers(as: current) == current)
      #expect(try schema("NUMBER PREFERRED AS INT64").settlingNumbers(as: current) == current)
    }
    #expect(try schema("NUMBER").settlingNumbers(as: schema("STRING")) == schema("NUMBER"))
    #expect(try schema("INT64").settlingNumbers(as: schema("DOUBLE")) == schema("INT64"))
  }

  @Test("what may lose data needs that neither production nor a record has it")
  func rules() throws {
    let changes = try Schema(text: "DEFINE SCHEMA RECORD TYPE T (a INT64, b INT64, c INT64);")
      .changes(to: try Schema(text: "DEFINE SCHEMA RECORD TYPE T (a STRING, c INT64 SORTABLE);"))
    let production = try Schema(text: "DEFINE SCHEMA RECORD TYPE T (a INT64);")
    #expect(changes.map(\.mayLoseData) == [true, true, false])
    #expect(
      changes.map { $0.problem(production: production) { _, _ in .none } } == [
        "'T.a' cannot change from INT64 to STRING: production has it, and what is in production can "
          + "neither be removed nor get another type; use another field",
        nil, nil,
      ]
    )
    #expect(
      changes.map { $0.problem(production: nil) { _, field in field == "b" ? .some : .none } } == [
        nil,
        "'T.b' cannot be removed: there are records of the type 'T'; delete them first, or keep it "
          + "in the text",
        nil,
      ]
    )
    #expect(
      changes[0].problem(production: nil) { _, _ in .unknown(lookedThrough: 7) }
        == "'T.a' cannot change from INT64 to STRING: the container has more than 7 records, too "
        + "many to see whether some are of the type 'T'; use another field"
    )
  }
}
