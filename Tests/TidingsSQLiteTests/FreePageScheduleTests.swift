import Testing
import TidingsSQLite

/// When free pages are given back.
@Suite struct FreePageScheduleTests {
  @Test("few free pages stay: an eighth of a large file, 4 MiB of a small one")
  func keepsSome() {
    var schedule = FreePageSchedule()
    for (free, pages) in [(0, 0), (1_024, 1_100), (1_250, 10_000), (100_000, 800_000)] {
      for _ in 0..<3 { #expect(schedule.next(free: free, of: pages) == .wait(.seconds(60))) }
    }
    #expect(!schedule.isReleasing)
  }

  @Test("nothing is given back while more becomes free")
  func waitsForRemovals() {
    var schedule = FreePageSchedule()
    for free in [2_000, 2_500, 3_000] {
      #expect(schedule.next(free: free, of: 10_000) == .wait(.seconds(1)))
    }
    #expect(schedule.next(free: 3_000, of: 10_000) == .release)
  }

  @Test("once begun, half of what may stay is reached, and then it rests")
  func reachesHalf() {
    var schedule = FreePageSchedule()
    var (free, pages, pieces) = (50_000, 100_000, 0)
    _ = schedule.next(free: free, of: pages)
    while case .release = schedule.next(free: free, of: pages) {
      free -= FreePages.pieceMax
      pages -= FreePages.pieceMax
      pieces += 1
    }
    #expect(pages < 54_000 && free <= FreePageSchedule.keptMax(of: pages) / 2)
    #expect(free > FreePageSchedule.keptMax(of: pages) / 2 - FreePages.pieceMax)
    #expect(schedule.next(free: free + 1_000, of: pages) == .wait(.seconds(60)))
  }

  @Test("removals that never end do not keep a file large that is mostly free")
  func mostlyFree() {
    var schedule = FreePageSchedule()
    _ = schedule.next(free: 5_000, of: 8_000)
    #expect(schedule.next(free: 5_000, of: 8_000) == .release)
    #expect(schedule.next(free: 5_100, of: 8_000) == .release)
    #expect(schedule.next(free: 3_900, of: 8_000) == .release)
    #expect(schedule.next(free: 3_950, of: 8_000) == .wait(.seconds(1)))
  }
}
