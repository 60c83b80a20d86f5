internal import Testing

@testable internal import TidingsService

@Suite struct CommitPaceTests {
  /// A disk on which groups are committed one after the other, and what is decided.
  private struct Disk {
    private var pace = CommitPace()
    private var now = ContinuousClock.now

    var isSlow: Bool { pace.isSlow }

    /// What is decided after each of so many commits that take as long, ten milliseconds after each other.
    mutating func commit(_ milliseconds: Double, times: Int = 1) -> [Bool] {
      (0..<times).map { _ in
        now = now.advanced(by: .milliseconds(10))
        pace.note(.milliseconds(milliseconds), at: now)
        return pace.isSlow
      }
    }
  }

  @Test("a disk whose commits take up to 4 ms is not slow, however many there are")
  func quick() {
    var disk = Disk()
    #expect(!disk.isSlow)
    let decisions = disk.commit(4, times: 1_000)
    #expect(!decisions.contains(true))
  }

  @Test("commits that take longer make it slow, and it stays so while they do")
  func slow() throws {
    var disk = Disk()
    let decisions = disk.commit(5, times: 1_000)
    let first = try #require(decisions.firstIndex(of: true))
    #expect(first > 0, "one commit that is a little late decides nothing")
    #expect(!decisions[first...].contains(false))
  }

  @Test("one commit that takes very long decides at once, one that takes a little longer does not")
  func single() {
    var (late, veryLate) = (Disk(), Disk())
    let afterLate = late.commit(15)
    let afterVeryLate = veryLate.commit(30)
    #expect(afterLate == [false])
    #expect(afterVeryLate == [true])
  }

  @Test("between 2 and 4 ms it stays what it was")
  func between() throws {
    var (quick, slow) = (Disk(), Disk())
    _ = quick.commit(1, times: 100)
    _ = slow.commit(30, times: 100)
    let ofQuick = quick.commit(3, times: 1_000)
    let ofSlow = slow.commit(3, times: 1_000)
    #expect(!ofQuick.contains(true))
    #expect(!ofSlow.contains(false))
    // It is quick again below that, and then 3 ms do not make it slow.
    let recovering = slow.commit(1, times: 1_000)
    let first = try #require(recovering.firstIndex(of: false))
    #expect(!recovering[first...].contains(true))
    let recovered = slow.commit(3, times: 1_000)
    #expect(!recovered.contains(true))
  }

  @Test("a disk that stood still counts as slow for ten seconds, however quick it is then")
  func standsStill() {
    var disk = Disk()
    let before = disk.commit(0.1, times: 100)
    #expect(!before.contains(true))
    for _ in 0..<3 {
      let during = disk.commit(40) + disk.commit(0.1, times: 999)
      #expect(!during.contains(false))
    }
    let after = disk.commit(0.1, times: 100)
    #expect(!after.contains(true))
  }

  @Test("what was long ago counts no more")
  func forgets() {
    var disk = Disk()
    let before = disk.commit(10_000)
    #expect(before == [true])
    let after = disk.commit(0.1, times: 2_000)
    #expect(after.last == false)
  }
}
