/// Values with times: the earliest comes first.
struct TimerHeap<Value> {
  private var heap: [(due: ContinuousClock.Instant, value: Value)] = []

  /// The earliest time.
  var next: ContinuousClock.Instant? { heap.first?.due }

  /// Adds a value.
  mutating func insert(_ value: Value, due: ContinuousClock.Instant) {
    heap.append((due, value))
    var child = heap.count - 1
    while child > 0, heap[child].due < heap[(child - 1) / 2].due {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes the earliest value, if it is due.
  mutating func popDue(at now: ContinuousClock.Instant) -> Value? {
    guard let first = heap.first, first.due <= now else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      siftDown()
    }
    return first.value
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      let (left, right) = (2 * parent + 1, 2 * parent + 2)
      guard left < heap.count else { return }
      let least = right < heap.count && heap[right].due < heap[left].due ? right : left
      guard heap[least].due < heap[parent].due else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
