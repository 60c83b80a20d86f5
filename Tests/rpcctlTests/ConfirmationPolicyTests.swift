import Testing
import TidingsJSON
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

/// Options of every verb: dry runs, confirmation, keys, and verbosity.
@Suite struct ConfirmationPolicyTests {
  private static let empty: ScriptedTransport.Answer = {
    (_: ScriptedTransport.Call) throws(RPCError) in [[]]
  }

  @Test("a dry run previews the calls that change data, and makes the others")
  func dryRun() async throws {
    let previewed = await ProgramRun("modify-zones", "--save", "z", "--dry-run", answer: Self.empty)
    #expect(previewed.exitCode == .success && previewed.calls.isEmpty)
    #expect(
      previewed.out.contains(
        #"{"wouldCall":"tidings.v1.ZoneService/ModifyRecordZones","request":{"#
      )
    )
    #expect(previewed.out.contains(#""zoneName":"z""#))
    let made = await ProgramRun("fetch-zones", "--dry-run", answer: Self.empty)
    #expect(made.calls.map(\.method.name) == ["FetchRecordZones"] && made.exitCode == .success)
  }

  @Test("requests that have a dry_run field are sent with it")
  func dryRunOfServer() async throws {
    let saved = await ProgramRun("modify-records", "--delete", "a", "--dry-run", answer: Self.empty)
    let call = try #require(saved.calls.last, "\(saved.err)")
    #expect(call.method.name == "ModifyRecords")
    #expect(try TidingsV1.ModifyRecordsRequest(decoding: call.request).dryRun)
  }

  @Test("no method with side effects is called in a dry run")
  func allMethods() async throws {
    let services = [
      TidingsV1.RecordService.descriptor, TidingsV1.ZoneService.descriptor,
      TidingsV1.SubscriptionService.descriptor, TidingsV1.NotificationService.descriptor,
      TidingsV1.AdminService.descriptor, TidingsV1.AssetService.descriptor,
      TidingsV1.SchemaService.descriptor, TidingsV1.ShareService.descriptor,
    ]
    var count = 0
    for method in services.flatMap(\.methods) where method.kind == .unary {
      let server = ScriptedTransport(answer: Self.empty)
      let output = Output(format: .jsonl, writeData: { _ in }, writeMessage: { _ in })
      let transport = DryRunTransport(server, output)
      _ = try? await transport.unary(method, [], options: .init())
      count += 1
      guard let call = server.calls.first else { continue }
      switch call.method.name {
      case "ModifyRecords":
        #expect(try TidingsV1.ModifyRecordsRequest(decoding: call.request).dryRun)
      case "ApplySchema":
        #expect(try TidingsV1.ApplySchemaRequest(decoding: call.request).dryRun)
      case "DeploySchema":
        #expect(try TidingsV1.DeploySchemaRequest(decoding: call.request).dryRun)
      case "ResetDevelopment":
        #expect(try TidingsV1.ResetDevelopmentRequest(decoding: call.request).dryRun)
      default: #expect(method.idempotency == .noSideEffects, "\(method.fullName)")
      }
    }
    #expect(count > 20)
  }

  @Test("each changing call of a command has a key, and reading calls have none")
  func keys() async throws {
    let server = ScriptedTransport(answer: Self.empty)
    let transport = KeyedTransport(server, key: "k")
    let methods = TidingsV1.ZoneService.descriptor.methods
    let modify = try #require(methods.first { $0.name == "ModifyRecordZones" })
    let fetch = try #require(methods.first { $0.name == "FetchRecordZones" })
    for method in [modify, fetch, modify] {
      _ = try await transport.unary(method, [], options: .init())
    }
    #expect(server.calls.map(\.options.idempotencyKey) == ["k", nil, "k-2"])
  }

  private func confirm(_ arguments: [String], answer: String?) async -> (ExitCode, String, Int) {
    let server = ScriptedTransport(answer: Self.empty)
    let err = Recorder()
    let readLine: @Sendable () -> String? = { answer }
    let program = Program(
      arguments,
      environment: [:],
      input: Input { _ in [] },
      output: Output(format: .jsonl, writeData: { _ in }, writeMessage: { err.append($0) }),
      readLine: answer == nil ? nil : readLine,
      connect: { _ in
        Session(transport: server) { _, _ in ScriptedNotifications(list: [], staysOpen: false) }
      }
    )
    return (await program.run(), err.text, server.calls.count)
  }

  @Test("on a terminal, destructive commands ask for confirmation")
  func confirmation() async {
    let delete = ["modify-zones", "--delete", "z"]
    let no = await confirm(delete, answer: "n")
    #expect(no.0 == .localFailure && no.2 == 0)
    #expect(no.1.hasPrefix("rpcctl: delete 1 zone with all records: z? [y/N] "))
    #expect(await confirm(delete, answer: "").2 == 0)
    #expect(await confirm(delete, answer: "y").2 == 1)
    #expect(await confirm(delete + ["--yes"], answer: "n").2 == 1)
    // Scripts use this verb: without a terminal it proceeds.
    #expect(await confirm(delete, answer: nil).2 == 1)
    #expect(await confirm(delete + ["--no-input"], answer: "n").2 == 1)
    // This one does not name what it deletes.
    let purge = await confirm(["zones", "purge", "z"], answer: nil)
    #expect(purge.0 == .localFailure && purge.1.contains("confirm with --yes"))
  }

  @Test("--verbose logs calls, --quiet prints only errors")
  func telling() async {
    let verbose = await ProgramRun("fetch-zones", "-v", answer: Self.empty)
    #expect(verbose.err.hasPrefix("rpcctl: tidings.v1.ZoneService/FetchRecordZones: OK, "))
    let loud = await ProgramRun("modify-records", "--delete", "a", "--dry-run", answer: Self.empty)
    #expect(loud.err == "nothing was changed (--dry-run)\n")
    let quiet = await ProgramRun(
      "modify-records",
      "--delete",
      "a",
      "--dry-run",
      "-q",
      answer: Self.empty
    )
    #expect(quiet.err.isEmpty)
  }

  @Test("colours are used on terminals, and on request")
  func colors() {
    func colors(_ choice: String?, _ environment: [String: String], isTerminal: Bool) -> Bool {
      Colors(choice, environment: environment, terminals: (isTerminal, isTerminal)).inData
    }
    var painting = Colors()
    #expect(painting.failure("a; did you mean b?\nc") == "a; did you mean b?\nc")
    painting.inMessages = true
    let (red, dim, end) = ("\u{1B}[31m", "\u{1B}[2m", "\u{1B}[0m")
    #expect(painting.failure("a\nc") == "\(red)a\(end)\n\(dim)c\(end)")
    #expect(painting.failure("a; did you mean b?") == "\(red)a\(end)\(dim); did you mean b?\(end)")
    #expect(painting.failure("a") == "\(red)a\(end)")
    #expect(colors("auto", [:], isTerminal: true) && !colors("auto", [:], isTerminal: false))
    #expect(colors("always", ["NO_COLOR": "1"], isTerminal: false))
    #expect(!colors("never", [:], isTerminal: true))
    #expect(!colors(nil, ["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], isTerminal: true))
    #expect(colors(nil, ["NO_COLOR": ""], isTerminal: true))
    #expect(colors(nil, ["CLICOLOR_FORCE": "1"], isTerminal: false))
    #expect(!colors(nil, ["CLICOLOR": "0"], isTerminal: true))
    #expect(!colors(nil, ["TERM": "dumb"], isTerminal: true))
  }

  @Test("table headers are bold and errors red, and nothing else")
  func painted() async {
    let run = await ProgramRun("help", "wach", "--color", "always")
    #expect(
      run.err.hasPrefix("\u{1B}[31mrpcctl: unknown verb") && run.err.hasSuffix("\u{1B}[0m\n")
    )
    let table = await ProgramRun("context", "list", "--color", "always", "-o", "table")
    #expect(table.out.isEmpty)
  }

  @Test("a trace shows no secrets")
  func redaction() throws {
    let text = Redaction.redacted(
      .object([
        "controlKey": .string("s"), "metadata": .object(["authorization": .string("s")]),
        "publicKey": .string("p"), "list": .array([.object(["key": .string("s")])]),
      ])
    ).description
    #expect(
      text
        == #"{"controlKey":"(redacted)","metadata":{"authorization":"(redacted)"},"publicKey":"p","list":[{"key":"(redacted)"}]}"#
    )
  }
}
