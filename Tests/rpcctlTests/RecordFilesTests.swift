import CommandLineTools
import TestSupport
import Testing
import TidingsJSON
import TidingsProto
import TidingsProtobuf

@testable import rpcctl

@Suite struct RecordFilesTests {
  private static func names(_ text: String, paths: [String] = ["f"]) throws -> [String] {
    let input = Input { _ in Array(text.utf8) }
    var files = try RecordFiles(paths, input, zoneID: .init(zoneName: "z"))
    var names: [String] = []
    while true {
      let records = try files.next(2)
      if records.isEmpty { return names }
      #expect(records.count <= 2 && records.allSatisfy { $0.recordID?.zoneID?.zoneName == "z" })
      names += records.map { $0.recordID?.recordName ?? "" }
    }
  }

  @Test(
    "lines, a list, an object over several lines, and the markers of an export",
    arguments: [
      "{\"recordType\":\"T\",\"recordName\":\"a\"}\n{\"recordType\":\"T\",\"recordName\":\"b\"}\n",
      "[{\"recordType\":\"T\",\"recordName\":\"a\"},{\"recordType\":\"T\",\"recordName\":\"b\"}]",
      "\n{\n\"recordType\":\"T\",\n\"recordName\":\"a\"}\n{\"recordType\":\"T\",\n\"recordName\":\"b\"}",
      "{\"tidings\":\"zone\"}\n{\"recordType\":\"T\",\"recordName\":\"a\"}\n\n{\"tidings\":\"page\"}\n"
        + "{\"recordType\":\"T\",\"recordName\":\"b\"}",
    ]
  )
  func reads(text: String) throws { #expect(try Self.names(text) == ["a", "b"]) }

  @Test("errors name their position")
  func wrong() throws {
    let broken = "{\"recordType\":\"T\",\"recordName\":\"a\"}\nno\n"
    let error = #expect(throws: UsageError.self) { try Self.names(broken) }
    #expect(error?.description.hasPrefix("f, line 2 is not JSON") == true)
    #expect(throws: ValueError.self) { try Self.names(#"{"recordName":"a"}"#) }
  }

  @Test("all JSON files of a folder, by name")
  func folder() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(#"{"recordType":"T","recordName":"b"}"#.utf8), to: "b.json")
    try folder.write(Array(#"{"recordType":"T","recordName":"a"}"#.utf8), to: "a.jsonl")
    try folder.write(Array("no".utf8), to: "c.txt")
    let transport = ScriptedTransport { _ in [TidingsV1.ModifyRecordsResponse().encoded()] }
    let run = await ProgramRun(
      list: ["modify-records", "-f", folder.path, "--save-policy", "unchanged", "--atomic"],
      realFiles: true,
      transport: transport
    )
    #expect(run.exitCode == .success, "\(run.err)")
    let call = try #require(transport.calls.first)
    let request = try TidingsV1.ModifyRecordsRequest(decoding: call.request)
    #expect(request.recordsToSave.map { $0.recordID?.recordName } == ["a", "b"])
    #expect(request.savePolicy == .ifServerRecordUnchanged && request.atomic == true)
  }

  @Test(
    "policies and atomicity can be given only once",
    arguments: [
      ["--policy", "all-keys", "--save-policy", "all-keys"], ["--atomic", "--no-atomic"],
    ]
  )
  func twice(options: [String]) async {
    let run = await ProgramRun(list: ["records", "delete", "a"] + options.filter { $0 != "" }) {
      _ in
      [TidingsV1.ModifyRecordsResponse().encoded()]
    }
    let put = await ProgramRun(
      list: ["records", "put", "-"] + options,
      files: ["-": #"{"recordType":"T"}"#]
    ) { _ in [TidingsV1.ModifyRecordsResponse().encoded()] }
    #expect(run.exitCode == .usage && put.exitCode == .usage)
  }

  @Test("a template has every field of the schema, each with a value of its type")
  func template() throws {
    let schema = """
      DEFINE SCHEMA
        RECORD TYPE Houses (
          "___createTime" TIMESTAMP QUERYABLE,
          price INT64, built TIMESTAMP, secret ENCRYPTED STRING, tags LIST<STRING>, place LOCATION
        );
      """
    let json = try RecordTemplate(type: "Houses", schema: schema).json.description
    #expect(
      json == """
        {"recordType":"Houses","recordName":"","fields":{"built":{"timestamp":\
        "1970-01-01T00:00:00Z"},"place":{"location":{"latitude":0.0,"longitude":0.0}},"price":0,\
        "secret":{"encrypted":""},"tags":[""]}}
        """
    )
    let error = #expect(throws: LocalFailure.self) {
      try RecordTemplate(type: "House", schema: schema)
    }
    #expect(error?.description.contains("did you mean Houses?") == true)
  }

  @Test("the state of a copy is valid for that copy only")
  func state() throws {
    var state = CopyState(route: "a to b")
    state.token = [1, 2, 3]
    #expect(try CopyState(state.text, path: "f", route: "a to b") == state)
    #expect(throws: UsageError.self) { try CopyState(state.text, path: "f", route: "a to c") }
    #expect(throws: UsageError.self) { try CopyState(Array("{}".utf8), path: "f", route: "a to b") }
  }

  @Test("columns get wider, never narrower")
  func table() {
    let recorder = Recorder()
    let output = Output(format: .table, writeData: { recorder.append($0) }, writeMessage: { _ in })
    var table = GrowingTable(["A", "B"])
    for row in [["1", "2"], ["long", "3"], ["4", "5"]] { table.print([row], output) }
    table.print([], output)
    #expect(recorder.text == "A  B\n1  2\nlong  3\n4     5\n")
  }
}
