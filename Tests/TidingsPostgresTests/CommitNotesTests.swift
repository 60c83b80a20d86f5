internal import Testing

@testable internal import TidingsPostgres

@Suite struct CommitNotesTests {
  private func found(_ newestTerm: Int64, _ number: Int64?) -> CommitNotes.Found {
    CommitNotes.Found(newestTerm: newestTerm, number: number)
  }

  @Test("a commit is decided by the number that is found, and by the one before")
  func outcomes() {
    var notes = CommitNotes()
    #expect(notes.connected(finding: found(4, nil)) == .kept)
    notes.began(5)
    // The first one of a term, without a row and with one.
    #expect(notes.outcome(finding: found(5, nil)) == .absent)
    #expect(notes.outcome(finding: found(5, 0)) == .absent)
    #expect(notes.outcome(finding: found(5, 1)) == .committed)
    #expect(notes.outcome(finding: found(5, 1)) == .absent)
    #expect(notes.outcome(finding: found(5, 2)) == .committed)
    // Others have had the lock since, and do not change the row.
    #expect(notes.outcome(finding: found(7, 2)) == .absent)
    #expect(notes.outcome(finding: found(7, 3)) == .committed)
    #expect(notes.outcome(finding: found(7, 1)) == .unknown)
    #expect(notes.outcome(finding: found(7, 5)) == .unknown)
  }

  @Test("what is remembered stays valid as long as no newer term began and no commit is missing")
  func continuity() {
    var notes = CommitNotes()
    #expect(notes.connected(finding: found(0, nil)) == .kept)
    notes.began(1)
    #expect(notes.connected(finding: found(1, nil)) == .kept)
    notes.committed()
    notes.committed()
    #expect(notes.next == 3)
    #expect(notes.connected(finding: found(1, 2)) == .kept)
    #expect(notes.connected(finding: found(2, 2)) == .broken)
    #expect(notes.connected(finding: found(1, 1)) == .rewound)
    #expect(notes.connected(finding: found(3, 1)) == .rewound)
    #expect(notes.connected(finding: found(0, nil)) == .rewound)
    // One that was taken for absent was committed.
    #expect(notes.connected(finding: found(1, 3)) == .broken)
    #expect(!notes.isCurrent(found(1, 3)) && notes.isCurrent(found(1, 2)))
  }
}
