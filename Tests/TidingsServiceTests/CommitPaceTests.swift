internal import Testing

@testable internal import TidingsService

@Suite struct CommitPaceTests {
  /// What is decided after each of so many commits that take as long.
  private func note(
    _ milliseconds: Double,
    times: Int = 1,
    in pace: inout CommitPace
  ) -> [Bool] {
    (0..<times).map { _ in
      pace.note(.milliseconds(milliseconds))
      return pace.isSlow
    }
  }

  @Test("a disk whose commits take up to 4 ms is not slow, however many there are")
  func quick() {
    var pace = CommitPace()
    #expect(!pace.isSlow)
    let decisions = note(4, times: 1_000, in: &pace)
    #expect(!decisions.contains(true))
  }

  @Test("commits that take longer make it slow, and it stays so while they do")
  func slow() throws {
    var pace = CommitPace()
    let decisions = note(5, times: 1_000, in: &pace)
    let first = try #require(decisions.firstIndex(of: true))
    #expect(first > 0, "one commit that is a little late decides nothing")
    #expect(!decisions[first...].contains(false))
  }

  @Test("one commit that takes very long decides at once, one that takes a little longer does not")
  func single() {
    var (late, veryLate) = (CommitPace(), CommitPace())
    let afterLate = note(15, in: &late)
    let afterVeryLate = note(50, in: &veryLate)
    #expect(afterLate == [false])
    #expect(afterVeryLate == [true])
  }

  @Test("between 2 and 4 ms it stays what it was")
  func between() throws {
    var (quick, slow) = (CommitPace(), CommitPace())
    _ = note(1, times: 100, in: &quick)
    _ = note(50, times: 100, in: &slow)
    let ofQuick = note(3, times: 1_000, in: &quick)
    let ofSlow = note(3, times: 1_000, in: &slow)
    #expect(!ofQuick.contains(true))
    #expect(!ofSlow.contains(false))
    // It is quick again below that, and then 3 ms do not make it slow.
    let recovering = note(1, times: 1_000, in: &slow)
    let first = try #require(recovering.firstIndex(of: false))
    #expect(!recovering[first...].contains(true))
    let recovered = note(3, times: 1_000, in: &slow)
    #expect(!recovered.contains(true))
  }

  @Test("what was long ago counts no more")
  func forgets() {
    var pace = CommitPace()
    let before = note(10_000, in: &pace)
    #expect(before == [true])
    let after = note(0.1, times: 100, in: &pace)
    #expect(after.last == false)
  }
}
