import Testing
import TidingsProto

@testable import rpcctl

@Suite struct ShareVerbTests {
  @Test("who is invited with a permission that is none is not invited as somebody else")
  func unknownPermission() async {
    for text in ["bob:rw", "bob:", ":read-only", ""] {
      let run = await ProgramRun("shares", "create", "--zone", "sales", "--invite", text)
      #expect(run.exitCode == .usage)
      #expect(run.err.contains("USER:PERMISSION (none, read-only or read-write)"), "\(run.err)")
    }
  }

  @Test("a name with a colon is written with its permission")
  func colon() {
    let participant = PermissionText.participant("team:bob:read-write")
    #expect(participant?.userRecordName == "team:bob")
    #expect(participant?.permission == .readWrite)
    #expect(PermissionText.participant("bob")?.permission == .readOnly)
  }
}
