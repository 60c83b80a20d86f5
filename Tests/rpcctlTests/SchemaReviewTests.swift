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
    "likely mistakes are found at their lines",
    arguments: [
      ("size NUMBER,", "warning T.size the first value that is saved makes it INT64 or DOUBLE"),
      ("pins LIST<ENCRYPTED STRING>,", "warning T.pins no value can be saved"),
      ("a_b STRING, \n ab STRING,", "warning T.ab it differs from 'a_b' only in how it is written"),
      ("a STRING, \n A STRING,", "note T.A names of fields begin with a small letter"),
      ("a INT64 QUERYABLE SORTABLE,", "note T.a one index serves QUERYABLE and SORTABLE"),
      ("GRANT WRITE TO \"_icloud\",", "warning T GRANT TO \"_icloud\" every user may change"),
      ("GRANT CREATE TO \"_creator\",", "warning T GRANT TO \"_creator\" nobody created"),
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

  @Test("roles without grants, and types without them, are found; what is good is not")
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
        "who may not read a record may not write it: grant READ too"
      ]
    )
  }

  @Test("lint ends with 3 when there are warnings, and needs no server")
  func lint() async {
    let bad = "DEFINE SCHEMA\nRECORD TYPE T (\n  a NUMBER,\n  GRANT READ TO \"_world\"\n);"
    let run = await ProgramRun("schema", "lint", "s", files: ["s": bad])
    #expect(run.exitCode == .conditionNotMet && run.configuration == nil)
    #expect(run.out.hasPrefix(#"{"file":"s","line":3,"level":"warning","subject":"T.a","#))
    let good = await ProgramRun("schema", "lint", "-", files: ["-": Self.good], format: .table)
    #expect(good.exitCode == .success && good.out.isEmpty)
    #expect(good.err == "standard input: nothing to say\n")
    let none = await ProgramRun("schema", "lint", "s", files: ["s": "DEFINE SCHEM"])
    #expect(none.exitCode == .localFailure && none.err.hasPrefix("rpcctl: s, line 1, column 8:"))
  }

  @Test(
    "what breaks clients is told from what does not",
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

  @Test("a type that is gone is told once; a new one breaks nothing")
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
