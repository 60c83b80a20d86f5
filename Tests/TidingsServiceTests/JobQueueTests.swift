internal import Testing

@testable internal import TidingsService

@Suite struct JobQueueTests {
  @Test("jobs come out in their order; number and bytes are bounded, and free again when taken")
  func bounds() {
    let queue = Queue(countMax: 40, bytesMax: 100)
    for job in 0..<40 { #expect(queue.add(job, bytes: 2)) }
    #expect(!queue.add(40, bytes: 0))
    for job in 0..<40 { #expect(queue.takeNext() == job) }
    #expect(queue.takeNext() == nil)
    #expect(queue.add(1, bytes: 60))
    #expect(!queue.add(2, bytes: 41))
    #expect(!queue.add(2, bytes: .max))
    #expect(queue.add(3, bytes: 40))
    #expect(queue.takeNext() == 1)
    #expect(queue.add(4, bytes: 60))
    #expect(queue.stop() == [3, 4])
    #expect(!queue.add(5, bytes: 0))
    #expect(queue.takeNext() == nil)
  }
}

/// The queue as a reference, which expectations can change.
private final class Queue {
  private var queue: JobQueue<Int>

  init(countMax: Int, bytesMax: Int) {
    queue = JobQueue(countMax: countMax, bytesMax: bytesMax)
  }

  func add(_ job: Int, bytes: Int) -> Bool { queue.add(job, bytes: bytes) }
  func takeNext() -> Int? { queue.takeNext() }
  func stop() -> [Int] { queue.stop() }
}
