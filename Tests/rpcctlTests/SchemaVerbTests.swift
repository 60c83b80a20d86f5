import Testing
import TidingsClient
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct SchemaVerbTests {
  private let text = "DEFINE SCHEMA\n\n    RECORD TYPE T (\n        a INT64 QUERYABLE\n    );\n"
  private let changes: [TidingsV1.SchemaChange] = [
    .init(kind: .added, subject: "T.a", after: "INT64"),
    .init(kind: .changed, subject: "T.b", before: "STRING", after: "STRING QUERYABLE"),
  ]

  @Test("get prints text, or JSON on request")
  func get() async throws {
    let response = TidingsV1.FetchSchemaResponse(
      text: text,
      indexes: [.init(recordType: "T", fieldName: "a", ordered: true, state: .building)],
      version: 7
    )
    let answer: ScriptedTransport.Answer = { _ in [response.encoded()] }
    let plain = await ProgramRun(
      "schema",
      "get",
      "--container",
      "c",
      "--environment",
      "production",
      answer: answer
    )
    #expect(plain.out == text && plain.exitCode == .success)
    let request = try TidingsV1.FetchSchemaRequest(decoding: plain.calls[0].request)
    #expect(request == .init(container: "c", environment: .production))

    let json = await ProgramRun("-o", "jsonl", "schema", "get", answer: answer)
    #expect(
      json.out
        == #"{"text":"DEFINE SCHEMA\n\n    RECORD TYPE T (\n        a INT64 QUERYABLE\n    );\n","#
        + #""indexes":[{"recordType":"T","fieldName":"a","finds":"VALUES","state":"BUILDING"}],"#
        + #""version":"7"}"# + "\n"
    )
    let indexes = await ProgramRun("schema", "get", "--indexes", "-o", "table", answer: answer)
    #expect(
      indexes.out
        == "RECORD TYPE  FIELD  FINDS   STATE\nT            a      VALUES  BUILDING\n"
    )
  }

  @Test("apply sends the file and prints the changes")
  func apply() async throws {
    let response = TidingsV1.ApplySchemaResponse(changes: changes)
    let run = await ProgramRun(
      "schema",
      "apply",
      "s.ckdb",
      "--dry-run",
      "-o",
      "table",
      files: ["s.ckdb": text]
    ) { _ in [response.encoded()] }
    let request = try TidingsV1.ApplySchemaRequest(decoding: run.calls[0].request)
    #expect(request == .init(container: "default", text: text, dryRun: true))
    #expect(
      run.out == """
        CHANGE   SUBJECT  BEFORE  AFTER
        ADDED    T.a              INT64
        CHANGED  T.b      STRING  STRING QUERYABLE

        """
    )
    #expect(run.exitCode == .success)

    let standardInput = await ProgramRun("schema", "apply", "-", files: ["-": text]) { _ in
      [TidingsV1.ApplySchemaResponse().encoded()]
    }
    let sent = try TidingsV1.ApplySchemaRequest(decoding: standardInput.calls[0].request)
    #expect(sent == .init(container: "default", text: text))
    #expect(standardInput.out.isEmpty && standardInput.exitCode == .success)
  }

  @Test("diff changes nothing, and its exit code shows whether there are differences")
  func diff() async throws {
    for (changes, exitCode) in [(changes, ExitCode.conditionNotMet), ([], .success)] {
      let run = await ProgramRun("schema", "diff", "s", files: ["s": text]) { _ in
        [TidingsV1.ApplySchemaResponse(changes: changes).encoded()]
      }
      #expect(try TidingsV1.ApplySchemaRequest(decoding: run.calls[0].request).dryRun)
      #expect(run.exitCode == exitCode)
      #expect(run.out.isEmpty == changes.isEmpty)
    }
  }

  @Test("deploy prints the changes")
  func deploy() async throws {
    let response = TidingsV1.DeploySchemaResponse(changes: changes)
    let run = await ProgramRun("schema", "deploy", "--container", "c") { _ in [response.encoded()] }
    #expect(
      try TidingsV1.DeploySchemaRequest(decoding: run.calls[0].request) == .init(container: "c")
    )
    #expect(
      run.out == """
        {"change":"ADDED","subject":"T.a","after":"INT64"}
        {"change":"CHANGED","subject":"T.b","before":"STRING","after":"STRING QUERYABLE"}

        """
    )
  }

  @Test("deploying without changes reports that the container exists in production")
  func deployNothing() async {
    let response = TidingsV1.DeploySchemaResponse()
    for (arguments, text) in [
      ([], "no changes; container 'c' exists in production with this schema\n"),
      (
        ["--dry-run"],
        "no changes; deploying would create container 'c' in production\n"
          + "nothing was changed (--dry-run)\n"
      ),
    ] {
      let run = await ProgramRun(
        list: ["schema", "deploy", "--container", "c"] + arguments,
        format: .table
      ) { _ in [response.encoded()] }
      #expect(run.exitCode == .success && run.out.isEmpty && run.err == text)
    }
  }

  @Test("validate needs no server, and shows the position of an error")
  func validate() async {
    let good = await ProgramRun("schema", "validate", "s", files: ["s": text])
    #expect(good.out == #"{"recordTypes":1,"fields":1,"indexedFields":1,"roles":0}"# + "\n")
    #expect(good.exitCode == .success && good.configuration == nil)

    let bad = await ProgramRun(
      "schema",
      "validate",
      "s.ckdb",
      files: ["s.ckdb": "DEFINE SCHEMA\nRECORD TYPE T (\n  a INT64 QUERIABLE\n);"]
    )
    #expect(
      bad.err == """
        rpcctl: s.ckdb, line 3, column 11: expected QUERYABLE, SORTABLE, SEARCHABLE, ',' or ')', \
        found 'QUERIABLE'
            a INT64 QUERIABLE
                    ^

        """
    )
    #expect(bad.exitCode == .localFailure && bad.configuration == nil)
  }

  @Test("the error for a rejected file has its position, too")
  func refused() async {
    let error = RPCError(.invalidArgument, "the text is no schema: line 1, column 1: x\n  y\n  ^")
    let run = await ProgramRun("schema", "apply", "s", files: ["s": "y"]) { _ throws(RPCError) in
      throw error
    }
    #expect(run.err == "rpcctl: INVALID_ARGUMENT: \(error.message)\n")
    #expect(run.exitCode == .failedCall(.invalidArgument))
  }

  @Test(
    "usage errors exit with 2",
    arguments: [
      (["schema"], "'schema' requires a verb: get, apply, diff, validate, deploy"),
      (["schema", "aply", "s"], "unknown verb 'schema aply'; did you mean schema apply?"),
      (["schema", "apply"], "expected one FILE, or - for standard input"),
      (["schema", "diff", "a", "b"], "expected one FILE"),
      (["schema", "diff", "none"], "cannot read 'none'"),
      (["schema", "deploy", "x"], "unexpected operand 'x'"),
      (["schema", "get", "--from", "x"], "unknown option '--from'"),
      (
        ["schema", "apply", "s", "--environment", "production"],
        "schemas can be applied to development only: deploy to production with"
      ),
    ]
  )
  func usage(arguments: [String], message: String) async {
    let run = await ProgramRun(list: arguments)
    #expect(run.exitCode == .usage)
    #expect(run.err.hasPrefix("rpcctl: \(message)"), "\(run.err)")
    #expect(run.out.isEmpty && run.configuration == nil)
  }

  @Test("options may stand between the words of a verb")
  func optionsBetween() async {
    let run = await ProgramRun("help", "schema", "get")
    #expect(run.out.contains("Usage: rpcctl schema get [options]"))
    let between = await ProgramRun("schema", "--container", "c", "get") { _ in
      [TidingsV1.FetchSchemaResponse(text: "x").encoded()]
    }
    #expect(between.out == "x" && between.configuration?.container == "c")
  }
}
