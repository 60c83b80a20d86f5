import Testing
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct SchemaReviewTests {
  private static let good = """
    DEFINE SCHEMA

        CREATE ROLE editor;

        RECORD TYPE House (
            price INT64 QUERYABLE,
            size  NUMBER PREFERRED AS DOUBLE,
            GRANT WRITE TO "_creator",
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world",
            GRANT READ, WRITE TO "editor"
        );

    """

  /// Each line of the type, and the finding that it gets.
  @Test(
    "probable mistakes are reported with their lines",
    arguments: [
      ("size NUMBER,", "warning T.size the first saved value makes it INT64 or DOUBLE"),
      (
        "pins LIST<ENCRYPTED STRING>,", "warning T.pins lists of encrypted values are not supported"
      ),
      (
        "a_b STRING, \n ab STRING,",
        "warning T.ab the name differs from 'a_b' only in case or underscores"
      ),
      ("a STRING, \n A STRING,", "note T.A field names should start with a lower-case letter"),
      ("a INT64 QUERYABLE SORTABLE,", "note T.a QUERYABLE and SORTABLE share one index"),
      ("GRANT WRITE TO \"_icloud\",", "warning T GRANT TO \"_icloud\" every user may change"),
      (
        "GRANT CREATE TO \"_creator\",",
        "warning T GRANT TO \"_creator\" a new record has no creator yet"
      ),
    ]
  )
  func mistakes(line: String, message: String) throws {
    let text = """
      DEFINE SCHEMA
      RECORD TYPE T ( // a type
        x STRING,
        \(line)
        GRANT READ TO "_world"
      );
      """
    let findings = try SchemaLint.findings(text, name: "f").map {
      ($0.line ?? 0, "\($0.level) \($0.subject) \($0.message)")
    }
    let found = try #require(findings.first { $0.1.hasPrefix(message) }, "\(findings)")
    #expect(found.0 == (line.contains("\n") ? 5 : 4))
  }

  @Test("roles and types without grants are reported; valid ones are not")
  func grants() throws {
    #expect(try SchemaLint.findings(Self.good, name: "f").isEmpty)
    let text = "DEFINE SCHEMA\nCREATE ROLE r;\nRECORD TYPE T (a STRING);"
    let findings = try SchemaLint.findings(text, name: "f")
    #expect(findings.map(\.subject) == ["ROLE r", "T"])
    #expect(findings.map(\.line) == [2, 3])
    #expect(findings.allSatisfy { $0.level == .warning })
    let unreadable = "DEFINE SCHEMA RECORD TYPE T (a STRING, GRANT WRITE TO \"_creator\");"
    #expect(
      try SchemaLint.findings(unreadable, name: "f").map(\.message) == [
        "writing requires reading: grant READ, too"
      ]
    )
  }

  @Test("lint exits with 3 if there are warnings, and needs no server")
  func lint() async {
    let bad = "DEFINE SCHEMA\nRECORD TYPE T (\n  a NUMBER,\n  GRANT READ TO \"_world\"\n);"
    let run = await ProgramRun("schema", "lint", "s", files: ["s": bad])
    #expect(run.exitCode == .conditionNotMet && run.configuration == nil)
    #expect(run.out.hasPrefix(#"{"file":"s","line":3,"level":"warning","subject":"T.a","#))
    let good = await ProgramRun("schema", "lint", "-", files: ["-": Self.good], format: .table)
    #expect(good.exitCode == .success && good.out.isEmpty)
    #expect(good.err == "standard input: no findings\n")
    let none = await ProgramRun("schema", "lint", "s", files: ["s": "DEFINE SCHEM"])
    #expect(none.exitCode == .localFailure && none.err.hasPrefix("rpcctl: s, line 1, column 8:"))
  }

  @Test(
    "incompatible changes are distinguished from compatible ones",
    arguments: [
      ("price INT64 QUERYABLE", "price INT64", "note House.price"),
      ("price INT64 QUERYABLE", "price STRING", "error House.price"),
      ("price INT64 QUERYABLE,", "", "error House.price"),
      ("price INT64 QUERYABLE", "price ENCRYPTED INT64", "error House.price"),
      ("size  NUMBER PREFERRED AS DOUBLE", "size DOUBLE", nil),
      ("size  NUMBER PREFERRED AS DOUBLE", "size INT64", "error House.size"),
      ("GRANT READ TO \"_world\",", "", "error House GRANT TO \"_world\""),
      ("GRANT CREATE TO \"_icloud\"", "GRANT READ, CREATE TO \"_icloud\"", nil),
      ("price INT64 QUERYABLE", "price INT64 SORTABLE, more STRING", nil),
    ] as [(String, String, String?)]
  )
  func breaks(old: String, new: String, finding: String?) throws {
    let changed = Self.good.replacing(old, with: new)
    #expect(changed != Self.good)
    let findings = try SchemaBreaks.findings(from: Self.good, to: changed, names: ("a", "b"))
    #expect(findings.map { "\($0.level) \($0.subject)" } == [finding].compactMap(\.self))
  }

  @Test("a removed type is reported once; a new one breaks nothing")
  func types() throws {
    let empty = "DEFINE SCHEMA"
    let gone = try SchemaBreaks.findings(from: Self.good, to: empty, names: ("a", "b"))
    #expect(gone.map(\.subject) == ["ROLE editor", "House"])
    #expect(try SchemaBreaks.findings(from: empty, to: Self.good, names: ("a", "b")).isEmpty)
  }

  @Test("breaking compares development with production, or files without a server")
  func breaking() async throws {
    let production = TidingsV1.FetchSchemaResponse(text: Self.good)
    let run = await ProgramRun("schema", "breaking", "--container", "c") { call throws(RPCError) in
      guard let request = try? TidingsV1.FetchSchemaRequest(decoding: call.request) else {
        throw RPCError(.invalidArgument, "no request")
      }
      return request.environment == .production
        ? [production.encoded()] : [TidingsV1.FetchSchemaResponse(text: "DEFINE SCHEMA").encoded()]
    }
    #expect(run.exitCode == .conditionNotMet && run.calls.count == 2)
    let files = await ProgramRun(
      "schema",
      "breaking",
      "a",
      "--against",
      "b",
      files: ["a": Self.good, "b": Self.good]
    )
    #expect(files.exitCode == .success && files.out.isEmpty && files.configuration == nil)
  }
}
