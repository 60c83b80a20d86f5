internal import Testing

@testable internal import TidingsPostgres

@Suite struct CommitNotesTests {
  @Test("a commit is decided by the token that is found, and by the one before")
  func outcomes() {
    var notes = CommitNotes()
    #expect(notes.connected(finding: 1) == .kept)
    #expect(notes.outcome(of: 2, finding: 2) == .committed)
    #expect(notes.outcome(of: 3, finding: 2) == .absent)
    #expect(notes.outcome(of: 4, finding: 9) == .unknown)
    // The next one is compared with what was found.
    #expect(notes.outcome(of: 5, finding: 9) == .absent)
    var new = CommitNotes()
    #expect(new.connected(finding: nil) == .kept)
    #expect(new.outcome(of: 1, finding: nil) == .absent)
  }

  @Test("what is remembered stays valid as long as the last token is one's own")
  func continuity() {
    var notes = CommitNotes()
    #expect(notes.connected(finding: 1) == .kept)
    notes.committed(2)
    #expect(notes.connected(finding: 2) == .kept)
    #expect(notes.connected(finding: 3) == .broken)
    #expect(notes.connected(finding: 3) == .kept)
    // Without a token nothing is known.
    var new = CommitNotes()
    #expect(new.connected(finding: nil) == .kept)
    #expect(new.connected(finding: nil) == .broken)
  }
}
