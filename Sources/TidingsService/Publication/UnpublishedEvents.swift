internal import TidingsEngine

/// Committed events that wait for a later turn to be published, in their order.
struct UnpublishedEvents {
  /// An event that waits.
  struct Waiting {
    let event: StoredEvent
    /// When it was committed, in nanoseconds of the monotonic clock.
    let committed: Int64
    /// What its push carries.
    var traceParent: [UInt8]?
  }

  private var events: [Waiting] = []
  /// Where the waiting events begin: those before it were taken.
  private var first = 0
  /// Taken events are removed when there are so many.
  private static let takenMax = 10_000

  var count: Int { events.count - first }
  var isEmpty: Bool { count == 0 }
  /// The events that are held in memory, taken ones included.
  var heldCount: Int { events.count }

  mutating func append(_ new: [StoredEvent], committed: Int64 = 0, traces: [PushTrace] = []) {
    let first = events.count
    events += new.lazy.map { Waiting(event: $0, committed: committed) }
    for trace in traces {
      let parent = trace.traceParent
      for index in trace.events.clamped(to: 0..<new.count) {
        events[first + index].traceParent = parent
      }
    }
  }

  /// Takes the oldest events, at most so many.
  mutating func take(_ countMax: Int) -> [Waiting] {
    let end = min(first + countMax, events.count)
    let taken = Array(events[first..<end])
    first = end
    if isEmpty {
      (events, first) = ([], 0)
    } else if first >= Self.takenMax {
      events.removeFirst(first)
      first = 0
    }
    return taken
  }

  /// Removes the events of topics on which nothing more is published.
  mutating func remove(_ topics: [[UInt8]]) {
    guard !isEmpty, !topics.isEmpty else { return }
    let retired = Set(topics)
    events = events[first...].filter { !retired.contains($0.event.topic) }
    first = 0
  }
}
