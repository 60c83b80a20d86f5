import Testing
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct FeedVerbTests {
  private static func page(_ call: ScriptedTransport.Call) -> [[UInt8]] {
    guard let request = try? TidingsV1.FetchRecordZoneChangesRequest(decoding: call.request),
      let options = request.zones.first
    else { return [] }
    let number = (options.changeToken.first ?? 0) + 1
    let id = TidingsV1.ZoneID(zoneName: "notes")
    let zone = TidingsV1.ZoneChanges(
      zoneID: id,
      changedRecords: [
        .init(
          recordID: .init(recordName: "r\(number)", zoneID: id),
          recordType: "Note",
          fields: ["a": .init(value: .int64Value(1))],
          changeTag: "t"
        )
      ],
      deletedRecords: number == 2
        ? [.init(recordID: .init(recordName: "gone", zoneID: id), recordType: "Note")] : [],
      changeToken: [number],
      moreComing: number < 2
    )
    return [TidingsV1.FetchRecordZoneChangesResponse(zones: [zone]).encoded()]
  }

  private static func line(_ number: Int) -> String {
    #"{"recordType":"Note","recordName":"r\#(number)","zoneName":"notes","changeTag":"t","fields":{"a":1}}"#
      + "\n"
  }
  private static let deletion =
    #"{"recordName":"gone","zoneName":"notes","recordType":"Note","deleted":true}"# + "\n"
  private static let ends = [
    #"{"changeToken":"AQ==","moreComing":true}"# + "\n",
    #"{"changeToken":"Ag==","moreComing":false}"# + "\n",
  ]

  @Test("a page ends with its token, which can be used to continue; --all reads all pages")
  func pages() async throws {
    let first = await ProgramRun("fetch-zone-changes", "notes", answer: Self.page)
    #expect(first.out == Self.line(1) + Self.ends[0] && first.exitCode == .success)
    let next = await ProgramRun("fetch-zone-changes", "notes", "--token", "AQ==", answer: Self.page)
    #expect(next.out == Self.line(2) + Self.deletion + Self.ends[1])
    let all = await ProgramRun("fetch-zone-changes", "notes", "--all", answer: Self.page)
    #expect(all.out == first.out + next.out)
  }

  @Test("options are sent in the request")
  func request() async throws {
    let run = await ProgramRun(
      "fetch-zone-changes",
      "notes",
      "--limit",
      "7",
      "--desired-keys",
      "a,b",
      "--types",
      "T,U",
      "--database",
      "public",
      answer: Self.page
    )
    let call = try #require(run.calls.first)
    let sent = try TidingsV1.FetchRecordZoneChangesRequest(decoding: call.request)
    #expect(sent.databaseID?.scope == .public && sent.maxWait == nil)
    #expect(
      sent.zones == [
        .init(
          zoneID: .init(zoneName: "notes"),
          desiredKeys: .init(keys: ["a", "b"]),
          recordTypes: ["T", "U"],
          limit: 7
        )
      ]
    )
  }

  @Test("JSON has an object for each page; a table has no tokens")
  func formats() async {
    let json = await ProgramRun("fetch-zone-changes", "notes", "-o", "json", answer: Self.page)
    #expect(json.out.hasPrefix("{\n  \"changedRecords\": [\n"))
    #expect(
      json.out.hasSuffix(
        "  \"deletedRecords\": [],\n  \"changeToken\": \"AQ==\",\n  \"moreComing\": true\n}\n"
      )
    )
    let table = await ProgramRun(
      "fetch-zone-changes",
      "notes",
      "--all",
      "-o",
      "table",
      answer: Self.page
    )
    #expect(
      table.out == """
        RECORD  TYPE  CHANGE TAG  FIELDS
        r1      Note  t           {"a":1}
        r2      Note  t           {"a":1}
        gone    Note              deleted

        """
    )
    #expect(table.err == "changeToken AQ==, more coming\nchangeToken Ag==\n")
  }

  @Test("in a table, further pages keep the columns of the first")
  func columnsOfPages() async {
    let names = ["a-long-name", "b"]
    let run = await ProgramRun("fetch-database-changes", "--all", "-o", "table") { call in
      let request = try? TidingsV1.FetchDatabaseChangesRequest(decoding: call.request)
      let page = Int(request?.changeToken.first ?? 0)
      let response = TidingsV1.FetchDatabaseChangesResponse(
        changedZoneIDs: [.init(zoneName: names[page])],
        changeToken: [UInt8(page + 1)],
        moreComing: page == 0
      )
      return [response.encoded()]
    }
    #expect(
      run.out == """
        ZONE         CHANGE
        a-long-name  changed
        b            changed

        """
    )
  }

  @Test("this device's mark is printed with the token, as the text that was sent")
  func mark() async {
    let answer: ScriptedTransport.Answer = { _ throws(RPCError) in
      let zone = TidingsV1.ZoneChanges(changeToken: [1], clientChangeTokenData: Array("m 1".utf8))
      return [TidingsV1.FetchRecordZoneChangesResponse(zones: [zone]).encoded()]
    }
    let lines = await ProgramRun("fetch-zone-changes", answer: answer)
    #expect(
      lines.out == #"{"changeToken":"AQ==","moreComing":false,"clientTokenData":"m 1"}"# + "\n"
    )
    let table = await ProgramRun("fetch-zone-changes", "-o", "table", answer: answer)
    #expect(table.err == "changeToken AQ==\nclientTokenData \"m 1\"\n")
  }

  @Test("the zones of a database")
  func database() async {
    let response = TidingsV1.FetchDatabaseChangesResponse(
      changedZoneIDs: [.init(zoneName: "notes"), .init()],
      deletedZones: [.init(zoneID: .init(zoneName: "old"), reason: .purged)],
      changeToken: [5]
    )
    let run = await ProgramRun("fetch-database-changes") { _ in [response.encoded()] }
    #expect(
      run.out == """
        {"zoneName":"notes"}
        {"zoneName":"_defaultZone"}
        {"zoneName":"old","deleted":true,"reason":"PURGED"}
        {"changeToken":"BQ==","moreComing":false}

        """
    )
    let table = await ProgramRun("fetch-database-changes", "-o", "table") { _ in
      [response.encoded()]
    }
    #expect(table.out.contains("old           deleted (PURGED)\n"))
  }

  @Test("--follow waits for more after the last page, and ends with 0 after --timeout")
  func follow() async throws {
    let run = await ProgramRun(
      "fetch-zone-changes",
      "notes",
      "--follow",
      "--timeout",
      "500ms"
    ) { (call) throws(RPCError) in
      if call.method.fullName.hasSuffix("Check") {
        return [TidingsRpcV1.CheckResponse(status: .serving).encoded()]
      }
      let request = try? TidingsV1.FetchRecordZoneChangesRequest(decoding: call.request)
      guard request?.zones.first?.changeToken != [2] else {
        throw RPCError(.unavailable, "restarting")
      }
      return Self.page(call)
    }
    #expect(run.exitCode == .success)
    #expect(run.out == Self.line(1) + Self.ends[0] + Self.line(2) + Self.deletion + Self.ends[1])
    #expect(run.calls[3].options.timeout ?? .zero > .seconds(50))
    // Reported once, whatever the number of attempts.
    #expect(
      run.err == "rpcctl: connection lost, reconnecting: UNAVAILABLE: restarting\n"
    )
  }

  @Test("--follow reports the restored connection, without waiting for a change")
  func reconnected() async throws {
    let hasFailed = Box<Bool>()
    let run = await ProgramRun(
      "fetch-zone-changes",
      "notes",
      "--token",
      "Ag==",
      "--follow",
      "--timeout",
      "500ms"
    ) { (call) throws(RPCError) in
      guard call.method.name == "FetchRecordZoneChanges" else { return [] }
      if hasFailed.value == nil {
        hasFailed.set(true)
        throw RPCError(.unavailable, "restarting")
      }
      let zone = TidingsV1.ZoneChanges(changeToken: [2])
      return [TidingsV1.FetchRecordZoneChangesResponse(zones: [zone]).encoded()]
    }
    #expect(
      run.err == """
        rpcctl: connection lost, reconnecting: UNAVAILABLE: restarting
        rpcctl: connection restored; no changes were missed

        """
    )
  }

  @Test("the server's error for the zone is printed, and the exit code is 4")
  func zoneErrors() async {
    let response = TidingsV1.FetchRecordZoneChangesResponse(zones: [
      .init(error: .init(code: .changeTokenExpired, message: "too old"))
    ])
    let run = await ProgramRun("fetch-zone-changes", "notes", "--token", "AQ==") { _ in
      [response.encoded()]
    }
    #expect(run.exitCode == .itemsFailed && run.err.contains("CHANGE_TOKEN_EXPIRED: too old"))
    let failed = await ProgramRun("fetch-database-changes") { (_) throws(RPCError) in
      throw RPCError(.unavailable, "down")
    }
    #expect(failed.exitCode == .failedCall(.unavailable))
    let usage = await ProgramRun("fetch-zone-changes", "a", "b")
    #expect(usage.exitCode == .usage)
    let token = await ProgramRun("fetch-zone-changes", "a", "--token", "?")
    #expect(token.exitCode == .usage)
  }
}
