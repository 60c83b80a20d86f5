import CommandLineTools
import Testing
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

/// The help and output of rpcctl change only on purpose.
@Suite struct SnapshotTests {
  @Test("the help of the program, and the map of its verbs")
  func program() async throws {
    try Snapshot.expect(await ProgramRun("help").out, is: "help.txt")
    try Snapshot.expect(await ProgramRun("--map").out, is: "map.txt")
    try Snapshot.expect(await ProgramRun("help", "context").out, is: "help-context.txt")
  }

  @Test("the help of each verb", arguments: Verb.shown.map(\.command.name))
  func verb(name: String) async throws {
    let text = await ProgramRun(list: ["help"] + name.split(separator: " ").map(String.init)).out
    try Snapshot.expect(text, is: "help/\(name.replacing(" ", with: "-")).txt")
  }

  @Test("there are no snapshots of removed verbs")
  func leftovers() throws {
    let names = Set(Verb.shown.map { $0.command.name.replacing(" ", with: "-") + ".txt" })
    #expect(try Snapshot.names(in: "help").subtracting(names) == [])
  }

  /// A record with fields of several types, and a missing one.
  private static let records = TidingsV1.FetchRecordsResponse(
    results: [
      .init(
        recordID: .init(recordName: "h1"),
        outcome: .record(
          .init(
            recordID: .init(recordName: "h1"),
            recordType: "Houses",
            fields: [
              "address": .init(value: .stringValue("1 Main St, \"Annex\"")),
              "price": .init(value: .int64Value(300_000)),
              "yes": .init(value: .stringValue("yes")),
              "tags": .init(value: .stringListValue(.init(values: ["a", "b: c"]))),
            ],
            changeTag: "7"
          )
        )
      ),
      .init(
        recordID: .init(recordName: "h2"),
        outcome: .error(.init(code: .unknownItem, message: "record 'h2' does not exist"))
      ),
    ]
  )

  @Test("records in every notation", arguments: ResultNotation.allCases)
  func notation(_ notation: ResultNotation) async throws {
    for fields in [nil, "recordName,price,tags"] {
      let arguments = ["fetch-records", "h1", "h2", "-o", notation.rawValue]
      let run = await ProgramRun(
        list: arguments + (fields.map { ["--fields", $0] } ?? []),
        format: .table
      ) { _ throws(RPCError) in [Self.records.encoded()] }
      #expect(run.exitCode == .itemsFailed)
      try Snapshot.expect(
        "\(run.out)--- standard error\n\(run.err)",
        is: "records/\(notation)\(fields == nil ? "" : "-fields").txt"
      )
    }
  }

  @Test("failures as text and as JSON", arguments: [false, true])
  func failures(inJSON: Bool) async throws {
    let output = inJSON ? ["-o", "json"] : []
    let call = RPCError(
      .resourceExhausted,
      "too many calls",
      details: [.errorInfo(reason: "QUOTA")]
    )
    let runs = [
      await ProgramRun(list: ["recods", "gte"] + output),
      await ProgramRun(list: ["records", "gte"] + output),
      await ProgramRun(list: ["fetch-records", "a", "--fields", "a,"] + output),
      await ProgramRun(list: ["modify-records", "--save", "@none"] + output),
      await ProgramRun(list: ["watch", "--dry-run"] + output),
      await ProgramRun(list: ["zones", "purge", "z"] + output),
      await ProgramRun(list: ["fetch-zones"] + output) { _ throws(RPCError) in throw call },
    ]
    try Snapshot.expect(
      runs.map { "\($0.exitCode.rawValue) \($0.err)" }.joined(),
      is: "failures\(inJSON ? "-json" : "").txt"
    )
  }
}
