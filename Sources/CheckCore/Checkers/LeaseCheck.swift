/// Decides whether a work group does all work, each notification by one worker: a lease is exclusive until it
/// ends, each notification is settled as done once, and none is delivered afterwards.
package struct LeaseCheck {
  private let calls: [Call]

  package init(_ calls: [Call]) { self.calls = calls.sorted { $0.begin < $1.begin } }

  package func violations() -> [Violation] {
    var (leases, settlements): ([String: [LeaseRecord]], [String: [Call]]) = ([:], [:])
    for call in calls where call.kind == .settle {
      for notice in call.notices { settlements[notice.id, default: []].append(call) }
    }
    for call in calls where call.kind == .lease && call.outcome == .ok {
      for notice in call.notices {
        let lease = LeaseRecord(notice, call, settlements[notice.id] ?? [])
        leases[notice.id, default: []].append(lease)
      }
    }
    let wrong = leases.sorted { $0.key < $1.key }.compactMap { id, leases in
      Self.sharing(leases) ?? Self.repetition(leases, settlements[id] ?? [])
    }
    return Array(wrong.prefix(3)) + [unasked, unsettled].compactMap { $0 }
  }

  /// Two workers that have the same notification at once.
  private static func sharing(_ leases: [LeaseRecord]) -> Violation? {
    let leases = leases.sorted { $0.notice.deliveryCount < $1.notice.deliveryCount }
    for (earlier, later) in zip(leases, leases.dropFirst()) {
      let (first, second) = (earlier.notice, later.notice)
      guard first.deliveryCount < second.deliveryCount, first.lease != second.lease else {
        return Violation("one delivery of \(first.id) went to two", [earlier.call, later.call])
      }
      if later.call.end < earlier.earliestEnd {
        return Violation(
          "\(first.id) was leased again before its lease ended",
          [earlier.call, later.call]
        )
      }
    }
    return nil
  }

  /// What was done is neither done nor delivered again.
  private static func repetition(_ leases: [LeaseRecord], _ settlements: [Call]) -> Violation? {
    let done = settlements.filter { $0.manner == Call.done && $0.outcome == .ok }
    guard let first = done.min(by: { $0.end < $1.end }) else { return nil }
    let lease = first.notices.first?.lease
    if let other = done.first(where: { $0.notices.first?.lease != lease }) {
      return Violation("\(first.notices[0].id) was done with two leases", [first, other])
    }
    let late = leases.first { $0.call.begin > first.end }
    return late.map {
      Violation("\(first.notices[0].id) was leased after it was done", [first, $0.call])
    }
  }

  private var jobs: [Call] { calls.filter { $0.kind == .save } }

  /// Work that nobody saved.
  private var unasked: Violation? {
    var saved: [String: Call] = [:]
    for job in jobs where job.outcome != .failed {
      for version in job.sent { saved[version.name] = job }
    }
    let subscriptions = Set(calls.filter { $0.kind == .subscribe }.map(\.subject))
    for call in calls where call.kind == .lease && call.outcome == .ok {
      for notice in call.notices where subscriptions.contains(notice.subscription) {
        guard let save = saved[notice.record], save.begin < call.end else {
          return Violation("\(notice) was leased, and its record was not saved", [call])
        }
      }
    }
    return nil
  }

  /// Acknowledged work that is not done in the end.
  private var unsettled: Violation? {
    let settled = calls.filter {
      $0.kind == .settle && $0.manner == Call.done && $0.outcome != .failed
    }
    let done = Set(settled.flatMap(\.notices).map(\.record))
    let open = jobs.filter { job in
      job.outcome == .ok && job.sent.contains { !done.contains($0.name) }
    }
    guard let first = open.first else { return nil }
    let leases = calls.filter { call in
      call.kind == .lease && call.notices.contains { $0.record == first.sent.first?.name }
    }
    return Violation("\(open.count) jobs were not done in the end", [first] + leases)
  }
}
