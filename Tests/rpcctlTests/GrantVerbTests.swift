import Testing
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct GrantVerbTests {
  private static let schema = """
    DEFINE SCHEMA
    CREATE ROLE editor;
    CREATE ROLE idle;
    RECORD TYPE House (
      a INT64,
      GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator",
      GRANT WRITE TO "editor"
    );
    RECORD TYPE Diary (a INT64, GRANT READ, WRITE TO "_creator", GRANT CREATE TO "_icloud");
    RECORD TYPE Closed (a INT64);
    """

  /// As in the table of docs/authorization.md.
  @Test(
    "the grants of a type are combined as by the server",
    arguments: [
      ("read", "House", nil, "all"), ("create", "House", nil, "none"),
      ("write", "House", nil, "none"), ("read", "Diary", nil, "none"),
      ("read", "House", [], "all"), ("create", "House", [], "all"), ("write", "House", [], "own"),
      ("delete", "House", [], "own"), ("read", "Diary", [], "own"),
      ("subscribe", "Diary", [], "own"), ("write", "Diary", [], "own"),
      ("read", "Closed", [], "none"), ("create", "Closed", [], "none"),
      ("write", "House", ["editor"], "all"), ("write", "House", ["c/editor"], "all"),
      ("write", "House", ["d/editor"], "own"), ("write", "House", ["admin"], "own"),
      ("write", "Diary", ["editor"], "own"),
      ("write", "Unknown", [], "own"), ("read", "Unknown", nil, "all"),
      ("read", "Users", nil, "all"), ("write", "Users", [], "own"),
      ("write", "Users", ["admin"], "own"),
      ("delete", "Users", [], "none"), ("subscribe", "Users", [], "none"),
    ] as [(String, String, [String]?, String)]
  )
  func verdicts(operation: String, type: String, roles: [String]?, verdict: String) throws {
    let check = try GrantCheck(
      try #require(GrantCheck.Operation(rawValue: operation)),
      on: type,
      schema: Self.schema,
      roles: roles,
      container: "c"
    )
    #expect(check.verdict.rawValue == verdict, "\(check.reasons)")
    #expect(!check.reasons.isEmpty)
  }

  private static func server(_ call: ScriptedTransport.Call) throws(RPCError) -> [[UInt8]] {
    switch call.method.name {
    case "FetchSchema": return [TidingsV1.FetchSchemaResponse(text: schema).encoded()]
    case "ListUsers":
      let ann = TidingsV1.Account(name: "ann", roles: ["admin", "c/editor", "ghost", "d/other"])
      let bob = TidingsV1.Account(name: "bob", restricted: .init(seconds: 1))
      let names = (try? TidingsV1.ListUsersRequest(decoding: call.request))?.userNames ?? []
      let accounts = [ann, bob].filter { names.isEmpty || names.contains($0.name) }
      return [TidingsV1.ListUsersResponse(accounts: accounts).encoded()]
    default: throw RPCError(.unimplemented, call.method.name)
    }
  }

  @Test("roles are listed with their users")
  func roles() async {
    let run = await ProgramRun(
      "roles",
      "list",
      "--container",
      "c",
      "-o",
      "table",
      answer: Self.server
    )
    #expect(
      run.out == """
        ROLE       KIND     USERS  GRANTS
        admin      server   ann
        developer  server
        editor     schema   ann    House: WRITE
        idle       schema
        ghost      unknown  ann

        """
    )
  }

  @Test("grants are listed for all types or some")
  func grants() async {
    let run = await ProgramRun("grants", "list", "Diary", answer: Self.server)
    #expect(
      run.out == """
        {"type":"Diary","role":"_creator","rights":"READ, WRITE"}
        {"type":"Diary","role":"_icloud","rights":"CREATE"}

        """
    )
  }

  @Test("a check prints reasons, and exits with 3 for no")
  func check() async {
    let yes = await ProgramRun(
      list: ["grants", "check", "ann", "write", "House", "--container", "c"],
      format: .table,
      answer: Self.server
    )
    #expect(
      yes.out == """
        yes: ann may write House
          "_world" (anyone) is granted READ
          "editor" (assigned as c/editor) is granted WRITE

        """
    )
    #expect(yes.exitCode == .success)
    let restricted = await ProgramRun(
      "grants",
      "check",
      "bob",
      "read",
      "House",
      answer: Self.server
    )
    #expect(
      restricted.exitCode == .conditionNotMet && restricted.out.contains(#""records":"none""#)
    )
    #expect(restricted.out.contains("the user was restricted at"))
    let guest = await ProgramRun(
      "grants",
      "check",
      "--guest",
      "create",
      "House",
      answer: Self.server
    )
    #expect(guest.exitCode == .conditionNotMet && guest.calls.map(\.method.name) == ["FetchSchema"])
    let unknown = await ProgramRun("grants", "check", "eve", "read", "House", answer: Self.server)
    #expect(unknown.err == "rpcctl: user 'eve' does not exist\n")
  }

  @Test(
    "usage errors exit with 2",
    arguments: [
      (
        ["grants", "check", "ann", "rite", "House"],
        "invalid operation 'rite': use read, create, write, delete, subscribe; did you mean write?"
      ),
      (["grants", "check", "ann"], "expected USER, OPERATION and TYPE"),
      (["grants", "check", "--guest", "a", "b", "c"], "expected OPERATION and TYPE"),
    ]
  )
  func usage(arguments: [String], message: String) async {
    let run = await ProgramRun(list: arguments)
    #expect(run.exitCode == .usage && run.configuration == nil)
    #expect(run.err.hasPrefix("rpcctl: \(message)"), "\(run.err)")
  }
}
