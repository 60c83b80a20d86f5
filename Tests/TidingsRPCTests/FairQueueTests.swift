import RandomSupport
import Testing
import TidingsRPC

@Suite("FairQueue") struct FairQueueTests {
  private typealias Queue = FairQueue<String, Int>

  private func drain(_ queue: inout Queue) -> [String] {
    var order: [String] = []
    while let next = queue.takeNext() { order.append("\(next.caller)\(next.element)") }
    return order
  }

  @Test("callers have turns, and each one's elements keep their order")
  func turns() {
    var queue = Queue(.init(countMax: 100, bytesMax: 100))
    for number in 1...4 { #expect(queue.add(number, of: "a") == .added) }
    for number in 1...2 { #expect(queue.add(number, of: "b") == .added) }
    #expect(queue.takeNext()?.caller == "a")
    #expect(queue.add(1, of: "c") == .added)
    #expect(drain(&queue) == ["b1", "a2", "c1", "b2", "a3", "a4"])
    #expect(queue.isEmpty && queue.bytes == 0 && queue.takeNext() == nil)
  }

  @Test("one who has enough at work waits for the end of something, others do not")
  func takenMax() {
    var queue = Queue(.init(countMax: 100, bytesMax: 100, takenPerCallerMax: 2))
    for number in 1...4 { _ = queue.add(number, of: "a") }
    #expect(drain(&queue) == ["a1", "a2"])
    _ = queue.add(1, of: "b")
    #expect(drain(&queue) == ["b1"])
    queue.ended("a")
    queue.ended("b")
    #expect(drain(&queue) == ["a3"])
    queue.ended("a")
    queue.ended("a")
    #expect(drain(&queue) == ["a4"])
  }

  @Test("who holds a part of what is free has no room, and the next one still has")
  func freePart() {
    var queue = Queue(.init(countMax: 1_000, bytesMax: 1_000, freePartPerCaller: 4))
    for number in 0..<8 {
      var held = 0
      while held < 1_000, queue.add(0, of: "greedy\(number)", bytes: 10) == .added { held += 10 }
      #expect((11..<1_000).contains(held), "\(number)")
    }
    // A caller's first has all the room that there is.
    let free = 1_000 - queue.bytes
    #expect(free > 100)
    #expect(queue.add(0, of: "large", bytes: free) == .added)
    #expect(queue.add(0, of: "next", bytes: 1) == .isFull)
  }

  @Test("against a model that looks through everything", arguments: [1, 2, 3, 4] as [UInt64])
  func model(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let bounds = Queue.Bounds(
      countMax: 30,
      bytesMax: 200,
      countPerCallerMax: 12,
      bytesPerCallerMax: 90,
      takenPerCallerMax: seed.isMultiple(of: 2) ? 3 : .max
    )
    var queue = Queue(bounds)
    var waiting: [(caller: String, element: Int, bytes: Int)] = []
    var taken: [String: Int] = [:]
    /// The callers of whom something waits, next first.
    var turns: [String] = []
    for element in 0..<20_000 {
      let caller = ["a", "b", "c", "d", "e"][min(random.below(8), 4)]
      switch random.below(5) {
      case 0, 1:
        let bytes = random.below(30)
        let own = waiting.filter { $0.caller == caller }
        let expected: Queue.Addition =
          if waiting.count >= 30 || waiting.reduce(0, { $0 + $1.bytes }) + bytes > 200 {
            .isFull
          } else if own.count >= 12 || own.reduce(0, { $0 + $1.bytes }) + bytes > 90 {
            .callerIsFull
          } else {
            .added
          }
        #expect(queue.add(element, of: caller, bytes: bytes) == expected, "seed \(seed)")
        guard expected == .added else { continue }
        waiting.append((caller, element, bytes))
        if !turns.contains(caller) { turns.append(caller) }
      case 2, 3:
        // Those who have enough at work go behind the others.
        let next = turns.first { taken[$0, default: 0] < bounds.takenPerCallerMax }
        let skipped = next.map { next in turns.prefix { $0 != next } } ?? turns[...]
        turns = Array(turns[skipped.endIndex...] + skipped)
        let result = queue.takeNext()
        #expect(result?.caller == next, "seed \(seed)")
        guard let next, let position = waiting.firstIndex(where: { $0.caller == next }) else {
          continue
        }
        #expect(result?.element == waiting[position].element, "seed \(seed)")
        waiting.remove(at: position)
        turns.removeAll { $0 == next }
        // Before those who were skipped: they stood behind it already when it was taken.
        if waiting.contains(where: { $0.caller == next }) { turns.append(next) }
        if bounds.takenPerCallerMax < .max { taken[next, default: 0] += 1 }
      default:
        guard taken[caller, default: 0] > 0 else { continue }
        taken[caller, default: 0] -= 1
        queue.ended(caller)
      }
      #expect(queue.count == waiting.count, "seed \(seed)")
      #expect(queue.bytes == waiting.reduce(0) { $0 + $1.bytes }, "seed \(seed)")
    }
    #expect(Set(queue.takeAll().map(\.element)) == Set(waiting.map(\.element)), "seed \(seed)")
    #expect(queue.isEmpty && queue.takeNext() == nil)
  }
}
