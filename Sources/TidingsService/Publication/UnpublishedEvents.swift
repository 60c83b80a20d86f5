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

  /// The events of a group, as they were committed: thousands are not copied in one turn.
  fileprivate struct Group {
    var events: [StoredEvent]
    /// The first that waits.
    var next: Int
    let committed: Int64
    var traces: [PushTrace]
  }

  private var groups: [Group] = []
  /// The first group that waits.
  private var first = 0
  /// Groups of which nothing waits are removed when there are so many.
  private static let takenMax = 1_000
  /// How many events wait.
  private(set) var count = 0
  /// What they take.
  private(set) var bytes = 0

  var isEmpty: Bool { count == 0 }
  /// The events that are held in memory, taken ones included.
  var heldCount: Int { groups.reduce(0) { $0 + $1.events.count } }

  /// Lets events wait, those of a group from one of them on.
  mutating func append(
    _ events: [StoredEvent],
    from begin: Int = 0,
    committed: Int64 = 0,
    traces: [PushTrace] = []
  ) {
    guard begin < events.count else { return }
    groups.append(Group(events: events, next: begin, committed: committed, traces: traces))
    count += events.count - begin
    bytes += Self.bytes(of: events[begin...])
  }

  /// Takes the oldest events, at most so many.
  mutating func take(_ countMax: Int) -> [Waiting] {
    var taken: [Waiting] = []
    while taken.count < countMax, first < groups.count {
      let group = groups[first]
      let end = min(group.next + countMax - taken.count, group.events.count)
      for index in group.next..<end {
        let parent = group.traces.isEmpty ? nil : group.traces.traceParent(ofEvent: index)
        taken.append(
          Waiting(event: group.events[index], committed: group.committed, traceParent: parent)
        )
      }
      groups[first].next = end
      guard end == group.events.count else { break }
      groups[first].events = []
      first += 1
    }
    count -= taken.count
    bytes -= taken.reduce(0) { $0 + Self.bytes(of: $1.event) }
    if first == groups.count || first >= Self.takenMax {
      groups.removeFirst(first)
      first = 0
    }
    return taken
  }

  /// Removes the events of topics on which nothing more is published.
  mutating func remove(_ topics: [[UInt8]]) {
    guard !isEmpty, !topics.isEmpty else { return }
    let retired = Set(topics)
    let left = groups[first...].compactMap { $0.without(retired) }
    (groups, first) = (left, 0)
    count = left.reduce(0) { $0 + $1.events.count }
    bytes = left.reduce(0) { $0 + Self.bytes(of: $1.events[...]) }
  }

  private static func bytes(of events: ArraySlice<StoredEvent>) -> Int {
    events.reduce(0) { $0 + bytes(of: $1) }
  }

  /// An event, its topic and its body, each with what the allocator adds.
  private static func bytes(of event: StoredEvent) -> Int { 160 + event.body.count }
}

extension UnpublishedEvents.Group {
  /// What waits of the group, but for some topics; `nil`: nothing.
  fileprivate func without(_ topics: Set<[UInt8]>) -> Self? {
    let kept = events.indices[next...].filter { !topics.contains(events[$0].topic) }
    guard !kept.isEmpty else { return nil }
    let traces = traces.map { trace in
      PushTrace(
        events: kept.count {
          $0 < trace.events.lowerBound
        }..<kept.count { $0 < trace.events.upperBound },
        span: trace.span
      )
    }
    return Self(events: kept.map { events[$0] }, next: 0, committed: committed, traces: traces)
  }
}
