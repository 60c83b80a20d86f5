internal import RandomSupport
internal import TestSupport
internal import Testing

@testable internal import TidingsService

@Suite struct TimerHeapTests {
  @Test("timers come out in the order of their times, and only when they are due")
  func orderedAndDue() {
    let seed = Seed.make("TimerHeap")
    var random = SplitMix64(seed: seed)
    let start = ContinuousClock.now
    for _ in 0..<200 {
      var heap = TimerHeap<Int>()
      var expected: [(due: Int, value: Int)] = []
      for value in 0..<300 {
        if random.oneIn(2) {
          let due = random.below(50)
          heap.insert(value, due: start + .milliseconds(due))
          expected.append((due, value))
        } else {
          let now = random.below(50)
          let popped = heap.popDue(at: start + .milliseconds(now))
          let least = expected.map(\.due).min()
          guard let popped else {
            #expect(least.map { $0 > now } ?? true, "seed \(seed)")
            continue
          }
          let index = expected.firstIndex { $0.value == popped }
          #expect(index.map { expected[$0].due } == least, "seed \(seed)")
          #expect(least.map { $0 <= now } == true, "seed \(seed)")
          if let index { expected.remove(at: index) }
        }
        #expect(
          heap.next == expected.map(\.due).min().map { start + .milliseconds($0) },
          "seed \(seed)"
        )
      }
    }
  }
}
