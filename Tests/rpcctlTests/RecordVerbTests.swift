import Testing
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct RecordVerbTests {
  @Test("records to save come from the command line, files and standard input, one or many each")
  func saves() async throws {
    let run = await ProgramRun(
      "modify-records",
      "--zone",
      "z",
      "--save",
      #"{"recordType":"T","recordName":"a"}"#,
      "@f",
      "-",
      "--delete",
      "x",
      "y",
      "--policy",
      "all-keys",
      "--no-atomic",
      "--idempotency-key",
      "k",
      files: [
        "f": #"[{"recordType":"T","recordName":"b"},{"recordType":"T","recordName":"c"}]"#,
        "-": "{\"recordType\":\"T\",\"recordName\":\"d\"}\n{\"recordType\":\"T\"}\n",
      ]
    ) { _ in [TidingsV1.ModifyRecordsResponse().encoded()] }
    let call = try #require(run.calls.first)
    let request = try TidingsV1.ModifyRecordsRequest(decoding: call.request)
    #expect(request.recordsToSave.map { $0.recordID?.recordName } == ["a", "b", "c", "d", ""])
    #expect(request.recordsToSave.allSatisfy { $0.recordID?.zoneID?.zoneName == "z" })
    #expect(request.recordIDsToDelete.map(\.recordName) == ["x", "y"])
    #expect(request.savePolicy == .allKeys && request.atomic == false)
    #expect(call.options.idempotencyKey == "k")
    #expect(run.exitCode == .success)
  }

  private static let results = TidingsV1.FetchRecordsResponse(results: [
    .init(
      recordID: .init(recordName: "h1"),
      outcome: .record(
        .init(
          recordID: .init(recordName: "h1"),
          recordType: "T",
          fields: ["a": .init(value: .doubleValue(5))],
          changeTag: "7"
        )
      )
    ),
    .init(
      recordID: .init(recordName: "no"),
      outcome: .error(.init(code: .unknownItem, message: "none"))
    ),
  ])

  @Test("each item has a line; a failed one makes the exit code 4")
  func lines() async {
    let run = await ProgramRun("fetch-records", "h1", "no") { _ in [Self.results.encoded()] }
    #expect(run.exitCode == .itemsFailed)
    #expect(
      run.out == """
        {"recordType":"T","recordName":"h1","changeTag":"7","fields":{"a":5.0}}
        {"recordName":"no","error":{"code":11,"name":"UNKNOWN_ITEM","message":"none"}}

        """
    )
  }

  @Test("--dry-run and the device's mark are sent; cascades are listed")
  func dryRun() async throws {
    let response = TidingsV1.ModifyRecordsResponse(
      results: [.init(recordID: .init(recordName: "h1"), outcome: .deleted(true))],
      cascadedDeletions: [
        .init(
          recordID: .init(recordName: "r1", zoneID: .init(zoneName: "z")),
          recordType: "Rooms",
          targetID: .init(recordName: "h1")
        )
      ]
    )
    let arguments = ["modify-records", "--dry-run", "--client-token-data", "m", "--delete", "h1"]
    let run = await ProgramRun(list: arguments, format: .table) { _ in [response.encoded()] }
    let request = try TidingsV1.ModifyRecordsRequest(decoding: run.calls[0].request)
    #expect(request.dryRun && request.clientChangeTokenData == Array("m".utf8))
    #expect(
      run.out == """
        RECORD  TYPE   CHANGE TAG  RESULT
        h1                         would be deleted
        z/r1    Rooms              would be deleted with h1

        """
    )
    #expect(run.err == "nothing was changed (--dry-run)\n")
    let lines = await ProgramRun(list: arguments) { _ in [response.encoded()] }
    #expect(
      lines.out.hasSuffix(
        #"{"recordName":"r1","zoneName":"z","recordType":"Rooms","deleted":true,"deletedWith":{"recordName":"h1"}}"#
          + "\n"
      )
    )
  }

  @Test("a conflict shows the fields as sent, as stored and as originally fetched")
  func conflict() async {
    func record(_ tag: String, _ price: Int64) -> TidingsV1.Record {
      .init(
        recordID: .init(recordName: "h1"),
        recordType: "T",
        fields: [
          "price": .init(value: .int64Value(price)), "city": .init(value: .stringValue("B")),
        ],
        changeTag: tag
      )
    }
    let response = TidingsV1.ModifyRecordsResponse(results: [
      .init(
        recordID: .init(recordName: "h1"),
        outcome: .error(.init(code: .serverRecordChanged, message: "changed")),
        serverRecord: record("9", 7),
        ancestorRecord: record("4", 5)
      )
    ])
    let run = await ProgramRun(
      "modify-records",
      "--save",
      #"{"recordType":"T","recordName":"h1","changeTag":"4","fields":{"price":6,"city":"B"}}"#,
      format: .table
    ) { _ in [response.encoded()] }
    #expect(run.exitCode == .itemsFailed)
    #expect(
      run.out.hasSuffix(
        """

        conflict of h1:
        FIELD         SENT  STORED  AS READ
        (change tag)  4     9       4
        price         6     7       5

        """
      )
    )
  }

  @Test("as a table, and as one array")
  func formats() async {
    let table = await ProgramRun("fetch-records", "h1", "no", format: .table) { _ in
      [Self.results.encoded()]
    }
    #expect(
      table.out == """
        RECORD  TYPE  CHANGE TAG  FIELDS
        h1      T     7           {"a":5.0}
        no                        UNKNOWN_ITEM: none

        """
    )
    let json = await ProgramRun("fetch-records", "h1", "-o", "json") { _ in
      [Self.results.encoded()]
    }
    #expect(json.out.hasPrefix("[\n  {\n    \"recordType\": \"T\",") && json.out.hasSuffix("]\n"))
  }

  @Test("--desired-keys requests some fields, or none")
  func keys() async throws {
    for (text, keys) in [("a, b", ["a", "b"]), ("", [])] {
      let run = await ProgramRun("fetch-records", "h1", "--desired-keys=\(text)")
      let request = try TidingsV1.FetchRecordsRequest(decoding: run.calls[0].request)
      #expect(request.desiredKeys == .init(keys: keys))
    }
  }
}
