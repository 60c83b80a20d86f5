import Testing
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct ShareVerbTests {
  @Test("an invalid permission is not taken for a part of the user's name")
  func unknownPermission() async {
    for text in ["bob:rw", "bob:", ":read-only"] {
      let run = await ProgramRun("shares", "create", "--zone", "sales", "--invite", text)
      #expect(run.exitCode == .usage)
      #expect(run.err.contains("USER:PERMISSION (none, read-only or read-write)"), "\(run.err)")
    }
  }

  @Test("a new share's URL is part of the result", arguments: [OutputFormat.table, .jsonl])
  func url(format: OutputFormat) async {
    let id = TidingsV1.RecordID(recordName: "cloudkit.zoneshare")
    let share = TidingsV1.Record(
      recordID: id,
      recordType: "cloudkit.share",
      share: .init(participants: [.init(userRecordName: "ada")], url: "tidings://share/a/b/c")
    )
    let run = await ProgramRun(
      list: ["shares", "create", "--zone", "sales", "-q"],
      format: format
    ) { call throws(RPCError) in
      let results = [TidingsV1.RecordResult(recordID: id, outcome: .record(share))]
      return call.method.name == "ModifyRecords"
        ? [TidingsV1.ModifyRecordsResponse(results: results).encoded()]
        : [TidingsV1.FetchRecordsResponse(results: results).encoded()]
    }
    #expect(run.exitCode == .success && run.out.contains("tidings://share/a/b/c"), "\(run)")
  }

  @Test("a name with a colon is followed by its permission")
  func colon() {
    let participant = PermissionText.participant("team:bob:read-write")
    #expect(participant?.userRecordName == "team:bob")
    #expect(participant?.permission == .readWrite)
    #expect(PermissionText.participant("bob")?.permission == .readOnly)
  }
}
