internal import TidingsEngine
internal import TidingsMetrics
internal import TidingsRPC
internal import TidingsTracing

/// A recorded call in a group.
struct TracedCall {
  let context: TraceContext
  /// Its events, among those of the group.
  let events: Range<Int>
}

/// The span of the pushes of a recorded call, which they carry.
struct PushTrace {
  let events: Range<Int>
  let span: Span

  /// What its pushes carry.
  var traceParent: [UInt8] { [UInt8](span.context.text.utf8) }
}

extension Tracer {
  /// Records how long a call's changes were compared with subscriptions.
  func recordMatching(_ time: MatchingTime?, of call: TraceContext, events: Int) {
    guard let time, let begin = time.begin else { return }
    let start = unixNanoseconds() - Int64(begin.duration(to: .now) / .nanoseconds(1))
    let end = start + Int64(time.duration / .nanoseconds(1))
    var span = Self.child("match", of: call, from: start, to: end)
    span.attributes = [
      ("tidings.changes", .integer(time.changes)), ("tidings.events", .integer(events)),
    ]
    record(span)
  }

  /// Records the commit of a group below each of its recorded calls, with links to the others.
  ///
  /// - Parameters:
  ///   - group: The group.
  ///   - begin: When the commit began, in nanoseconds of the monotonic clock.
  ///   - end: When it had ended.
  /// - Returns: The spans of the pushes that follow, which end when they are published.
  func recordCommit(_ group: CallGroup, from begin: Int64, to end: Int64) -> [PushTrace] {
    let calls = group.traced.map(\.context)
    let (start, end) = (unixNanoseconds(monotonic: begin), unixNanoseconds(monotonic: end))
    var pushes: [PushTrace] = []
    for call in group.traced {
      var commit = Self.child("commit", of: call.context, from: start, to: end)
      commit.attributes = [("tidings.group.calls", .integer(group.answers.count))]
      commit.links = Array(calls.lazy.filter { $0 != call.context }.prefix(Span.linksMax))
      record(commit)
      guard !call.events.isEmpty else { continue }
      pushes.append(
        PushTrace(
          events: call.events,
          span: Self.child("push", .producer, of: commit.context, from: end, to: end)
        )
      )
    }
    return pushes
  }

  /// Records that a call has waited for a change.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - start: Since when, in nanoseconds since 1970.
  ///   - changes: The calls of the group that woke it, as far as they are recorded; empty: the time was over.
  func recordWait(of call: TraceContext, from start: Int64, changes: [TraceContext]) {
    var span = Self.child("wait", of: call, from: start, to: unixNanoseconds())
    span.links = Array(changes.prefix(Span.linksMax))
    record(span)
  }

  /// Records that pushes were handed to the socket; those that wait for another turn follow.
  func recordPushes(_ pushes: [PushTrace]) {
    let end = unixNanoseconds()
    for push in pushes {
      var span = push.span
      span.end = end
      span.attributes = [("tidings.events", .integer(push.events.count))]
      record(span)
    }
  }
}

extension [PushTrace] {
  /// What the push of an event carries; `nil`: it is not recorded.
  func traceParent(ofEvent index: Int) -> [UInt8]? {
    first { $0.events.contains(index) }?.traceParent
  }
}
