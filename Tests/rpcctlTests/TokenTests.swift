import TestSupport
import Testing
import TidingsJSON
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct TokenTests {
  private static let token = "Abo8V/kNxoLkAQDsHnMElU/Qao+L5XKGHUqK"

  @Test("a token shows its version, the data that it belongs to, and numbers")
  func inspects() async {
    let run = await ProgramRun("tokens", "inspect", Self.token)
    #expect(
      run.out == """
        {"kind":"changeToken","version":1,"incarnation":"ba3c57f90dc682e4","numbers":[1,0],"bytes":27}

        """
    )
    let other = await ProgramRun("tokens", "inspect", "AQIDBAUG")
    #expect(other.out == #"{"kind":"unknown","bytes":6}"# + "\n")
  }

  @Test(
    "--check compares the data with the server's",
    arguments: [("ba3c57f90dc682e4", true), ("00", false)]
  )
  func checks(incarnation: String, isSame: Bool) async {
    let run = await ProgramRun("tokens", "inspect", Self.token, "--check") { _ in
      [TidingsRpcV1.FetchServerInfoResponse(incarnation: incarnation).encoded()]
    }
    #expect(run.out.contains(#""isOfThisServer":\#(isSame)"#), "\(run.out)")
    #expect(run.exitCode == (isSame ? .success : .conditionNotMet))
  }

  @Test("a token is saved to a file, shown, used and removed")
  func files() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("notes.token")
    let server = MemoryServer()
    let saved = await server.run(["tokens", "save", path, Self.token])
    #expect(saved.exitCode == .success, "\(saved.err)")
    #expect(await server.run(["tokens", "show", path]).out == Self.token + "\n")
    let used = await ProgramRun(
      list: ["fetch-zone-changes", "notes", "--since", "@" + path],
      realFiles: true,
      transport: ScriptedTransport { call throws(RPCError) in
        let request = try? TidingsV1.FetchRecordZoneChangesRequest(decoding: call.request)
        #expect(request?.zones.first?.changeToken == Base64.decode(Self.token))
        return [
          TidingsV1.FetchRecordZoneChangesResponse(zones: [.init(changeToken: [9])]).encoded()
        ]
      }
    )
    #expect(used.exitCode == .success, "\(used.err)")
    #expect(await server.run(["tokens", "reset", path]).out == Self.token + "\n")
    #expect(await server.run(["tokens", "show", path]).exitCode == .notFound)
    #expect(await server.run(["tokens", "save", path, "AQIDBAUG"]).exitCode == .usage)
  }

  @Test("--save-token saves the position of each page; a missing file means the beginning")
  func saves() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("notes.token")
    let server = MemoryServer()
    server.change { state in
      for name in ["a", "b", "c", "d"] {
        state.records["notes/" + name] = .init(
          recordID: .init(recordName: name, zoneID: .init(zoneName: "notes")),
          recordType: "T"
        )
      }
    }
    let arguments = ["fetch-zone-changes", "notes", "--since", "@" + path, "--save-token", path]
    let first = await server.run(arguments)
    #expect(first.err.contains("does not exist yet"), "\(first.err)")
    let second = await server.run(arguments)
    let third = await server.run(arguments)
    let names = [first, second, third].map { run in
      ["a", "b", "c", "d"].filter { run.out.contains(#""recordName":"\#($0)""#) }
    }
    #expect(names == [["a", "b", "c"], ["d"], []])
    let both = await server.run(arguments + ["--token", "AQ=="])
    #expect(both.exitCode == .usage && both.err.contains("the same as --since"))
  }

  @Test("the maximum age of tokens comes from the server")
  func oldest() async {
    let run = await ProgramRun("tokens", "oldest", format: .table) { _ in
      [
        TidingsRpcV1.FetchServerInfoResponse(
          limits: .init(
            tombstoneRetentionDays: 90,
            cursorRetentionMinutes: 10,
            notificationRetentionDays: 30
          )
        ).encoded()
      ]
    }
    for text in ["90.0 d", "30.0 d", "10 min"] { #expect(run.out.contains(text), "\(run.out)") }
  }
}
