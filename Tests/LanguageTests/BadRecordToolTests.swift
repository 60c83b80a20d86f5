internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient

/// One bad record among others, saved with rpcctl.
@Suite(.endsServers) struct BadRecordToolTests {
  /// What only the server finds: the others are saved by any verb.
  private static let refusedByServer = [
    #""fields":{"value":{"location":{"latitude":91,"longitude":0}}}"#, #""fields":{"9":1}"#,
    #""fields":{"price":"text"}"#, #""fields":{"value":{"reference":{"recordName":""}}}"#,
  ]
  /// What is no record: an import goes on with the next line, and other verbs save nothing of a wrong input.
  private static let unreadable = [
    #""fields":{"value":{"reference":{"recordName":"a","action":"EXPLODE"}}}"#,
    #""fields":{"value":{"timestamp":"0000-01-01T00:00:00Z"}}"#, #""fields":{"sold":true}"#,
    #""fields":{"value":{"bytes":"?"}}"#, #""feilds":{}"#,
  ]

  @Test("the others are saved, wherever it stands")
  func others() async throws {
    let seed = Seed.make("BadRecordToolTests")
    var random = SplitMix64(seed: seed)
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    try await client.save(.init("House", "first", ["price": 1]))
    await client.close()
    let folder = try TemporaryFolder()
    for (kind, members) in (Self.refusedByServer + Self.unreadable).enumerated() {
      let isRead = kind < Self.refusedByServer.count
      for verb in [["import"], ["records", "put"]] {
        let position = random.below(3)
        var lines = ["a", "b"].map {
          #"{"recordType":"House","recordName":"\#(verb[0])-\#(kind)-\#($0)"}"#
        }
        lines.insert(#"{"recordType":"House","recordName":"bad",\#(members)}"#, at: position)
        try folder.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "records.jsonl")
        let run = try await ForeignProgram.run(
          try Repository.program("rpcctl"),
          verb + [folder.file("records.jsonl"), "-o", "jsonl"],
          environment: [
            "RPCCTL_ENDPOINT": server.rpcEndpoint, "RPCCTL_AS": "ada", "RPCCTL_TIMEOUT": "10m",
            "RPCCTL_CONNECT_TIMEOUT": "60s", "HOME": folder.path,
          ]
        )
        let context = "\(verb) \(members), seed \(seed): \(run.output)\(run.errors)"
        let saved = run.lines.filter { $0.contains("changeTag") }
        if verb == ["import"] {
          #expect(run.exit == 4, "\(context)")
          #expect(run.output.contains(#""saved":2,"deleted":0,"failed":1"#), "\(context)")
          #expect(run.errors.contains("line \(position + 1)"), "\(context)")
        } else if isRead {
          #expect(run.exit == 4 && saved.count == 2, "\(context)")
          #expect(run.output.contains("INVALID_ARGUMENTS"), "\(context)")
        } else {
          #expect(run.exit == 2 && run.output.isEmpty, "\(context)")
        }
      }
    }
  }
}
