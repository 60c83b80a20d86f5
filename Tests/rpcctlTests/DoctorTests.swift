import TestSupport
import Testing
import TidingsKeys
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct DoctorTests {
  private func time(_ seconds: Int64, _ milliseconds: Int32 = 0) -> GoogleProtobuf.Timestamp {
    .init(seconds: seconds, nanos: milliseconds * 1_000_000)
  }

  @Test(
    "clock differences count only beyond the round-trip time",
    arguments: [
      (1_000, "ok"), (1_004, "ok"), (1_006, "ok"), (1_007, "warning"), (1_124, "warning"),
      (1_200, "problem"), (998, "ok"), (996, "warning"), (800, "problem"),
    ]
  )
  func clock(server: Int64, result: String) {
    // The response took 5 seconds.
    let found = ServerDiagnoses.clock(server: time(server), before: time(999), after: time(1_004))
    #expect(found.result.rawValue == result, "\(found)")
    #expect(found.advice.isEmpty == (result == "ok"))
  }

  @Test("versions are compared by their first two numbers")
  func version() {
    #expect(ServerDiagnoses.version(client: "1.2.3", server: "1.2.3").result == .ok)
    #expect(ServerDiagnoses.version(client: "1.2.3", server: "1.2.9").result == .ok)
    #expect(ServerDiagnoses.version(client: "1.2.3", server: "1.3.3").result == .warning)
  }

  @Test("accounts, expiring keys and full quotas are reported")
  func account() {
    let good = TidingsV1.FetchAccountStatusResponse(
      status: .available,
      userRecordName: "ann",
      usage: [.init(container: "c", records: 80, bytes: 95)],
      quota: .init(recordsMax: 100, bytesMax: 100),
      keyExpiresMs: 30 * 86_400_000
    )
    let found = ServerDiagnoses.account(good, now: time(0))
    #expect(found.map(\.result) == [.ok, .ok, .warning])
    #expect(found[2].found == "95 of 100 bytes in all containers")
    let soon = ServerDiagnoses.account(good, now: time(20 * 86_400))
    #expect(soon.map(\.result) == [.ok, .warning, .warning])
    let none = ServerDiagnoses.account(.init(status: .noAccount), now: time(0))
    #expect(none.map(\.result) == [.problem])
    let restricted = TidingsV1.FetchAccountStatusResponse(
      status: .restricted,
      userRecordName: "ann"
    )
    #expect(ServerDiagnoses.account(restricted, now: time(0)).map(\.result) == [.problem])
  }

  @Test("contexts whose files, or whose key files, cannot be read are reported")
  func contexts() throws {
    let folder = try TemporaryFolder()
    let contexts = ContextFolder(["XDG_CONFIG_HOME": folder.path])
    #expect(LocalChecks.contexts(contexts) == [.ok("contexts", "none")])
    let key = folder.file("a.key")
    try KeyFile.pair(KeyPair()).write(to: key, title: "x")
    try folder.makeContexts(
      "good",
      lines: "key-file = \(key)\nserver-key = \(KeyPair().publicKey)\n"
    )
    #expect(LocalChecks.contexts(contexts) == [.ok("contexts", "1 context")])
    try folder.makeContexts("gone", lines: "key-file = \(folder.file("none.key"))\n")
    try folder.makeContexts("wrong", lines: "endpint = x\n")
    let found = LocalChecks.contexts(contexts)
    #expect(found.map(\.result) == [.warning, .warning])
    #expect(found[0].found.hasPrefix("gone: ") && found[1].found.hasPrefix("wrong: "))
  }

  @Test("a key file that others can read is a problem")
  func openKey() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.key")
    try KeyFile.pair(KeyPair()).write(to: path, title: "x")
    let arguments = ["--key-file", path, "--server-key", "\(KeyPair().publicKey)", "doctor"]
    let good = await ProgramRun(list: arguments + ["--local"])
    #expect(good.exitCode == .success && good.configuration == nil)
    try folder.write(try folder.read("a.key"), to: "open.key")
    let open = await ProgramRun(
      list: ["--key-file", folder.file("open.key")] + arguments.dropFirst(2)
    )
    #expect(open.exitCode == .conditionNotMet && open.configuration == nil)
    #expect(open.out.contains(#"{"check":"keys","result":"problem","found":"others can read"#))
    #expect(open.out.contains(#"{"check":"server","result":"skipped""#))
  }

  @Test("an unreachable server is a problem, and the other checks are skipped")
  func unreachable() async {
    let run = await ProgramRun("doctor", format: .table) { _ throws(RPCError) in
      throw RPCError(.unavailable, "cannot reach tcp://h:1: connection refused")
    }
    #expect(run.exitCode == .conditionNotMet && run.calls.count == 1)
    #expect(run.out.contains("problem  server       cannot reach tcp://h:1"))
    #expect(run.out.contains("\n                      → Check that rpcd is running"))
  }
}
