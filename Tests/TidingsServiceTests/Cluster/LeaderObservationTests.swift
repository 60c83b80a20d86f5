internal import Testing

@testable internal import TidingsService

@Suite struct LeaderObservationTests {
  private let start = ContinuousClock.now

  private func row(
    _ term: Int64,
    _ beat: Int64 = 0,
    commit: Int64 = 0,
    at endpoint: String = "e",
    format: Int64 = 18
  ) -> LeaderRow {
    LeaderRow(
      term: term,
      name: "n",
      endpoint: endpoint,
      commit: commit,
      beat: beat,
      format: format
    )
  }

  private var observation: LeaderObservation { LeaderObservation(at: start, formatMax: 18) }

  @Test(
    "a node that does not know the data format of the database follows, and says once that it does not lead"
  )
  func newerFormat() {
    var observation = observation
    #expect(observation.observe(row(1), isLinked: false, at: start) == [.follow(row(1))])
    let next = row(2, format: 19)
    #expect(
      observation.observe(next, isLinked: true, at: start) == [
        .verify(row(1).mark), .refuse(format: 19), .follow(next),
      ]
    )
    observation.verified(isKept: true)
    // Also when that node has ended, or hangs.
    #expect(observation.observe(next, isLinked: false, at: start) == [])
    let later = start.advanced(by: .seconds(60))
    #expect(observation.observe(next, isLinked: true, at: later) == [])
    // The database was restored.
    #expect(
      observation.observe(row(2, 1), isLinked: false, at: later) == [.lead(endsLeader: false)]
    )
  }

  @Test("each new leader is followed, once it can be called")
  func follows() {
    var observation = observation
    #expect(observation.observe(nil, isLinked: false, at: start) == [.lead(endsLeader: false)])
    #expect(observation.observe(row(1, at: ""), isLinked: false, at: start) == [])
    #expect(observation.observe(row(1), isLinked: false, at: start) == [.follow(row(1))])
    #expect(observation.observe(row(1, 1), isLinked: true, at: start) == [])
    let next = observation.observe(row(2, 1), isLinked: true, at: start)
    #expect(next == [.verify(row(1).mark), .follow(row(2, 1))])
  }

  @Test(
    "one that cannot be reached is replaced if it has ended, and ended only if it leaves no sign"
  )
  func leads() {
    var observation = observation
    _ = observation.observe(row(1), isLinked: false, at: start)
    let second = start.advanced(by: .seconds(1))
    #expect(
      observation.observe(row(1), isLinked: false, at: second) == [.lead(endsLeader: false)]
    )
    // Others may reach it.
    var now = start
    for beat in 1..<20 {
      now = now.advanced(by: .seconds(1))
      let actions = observation.observe(row(1, Int64(beat)), isLinked: false, at: now)
      #expect(actions == [.lead(endsLeader: false)])
    }
    now = now.advanced(by: LeaderObservation.silenceMax + .milliseconds(1))
    #expect(observation.observe(row(1, 19), isLinked: true, at: now) == [.lead(endsLeader: true)])
    // It is not ended again and again.
    #expect(observation.observe(row(1, 19), isLinked: true, at: now) == [])
  }

  @Test("a commit that was seen is looked for when the database says less, or another term began")
  func newest() {
    var observation = observation
    #expect(
      observation.observe(row(3, commit: 7), isLinked: true, at: start) == [
        .follow(row(3, commit: 7))
      ]
    )
    #expect(observation.observe(row(3, commit: 8), isLinked: true, at: start) == [])
    let seen = CommitMark(term: 3, number: 8)
    #expect(observation.observe(row(3, commit: 2), isLinked: true, at: start) == [.verify(seen)])
    observation.verified(isKept: false)
    // Also when another node leads.
    let next = row(4, commit: 1)
    #expect(observation.observe(next, isLinked: true, at: start) == [.verify(seen), .follow(next)])
    observation.verified(isKept: false)
    #expect(observation.newest == seen)
    #expect(observation.observe(next, isLinked: true, at: start) == [.verify(seen)])
    observation.verified(isKept: true)
    #expect(observation.newest == next.mark)
    #expect(observation.observe(row(4, commit: 2), isLinked: true, at: start) == [])
  }
}
