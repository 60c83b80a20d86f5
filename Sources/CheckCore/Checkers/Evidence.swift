/// Decides whether a history shows enough for a verdict: calls that succeeded, and final reads of what they changed.
///
/// Without them nothing is violated because nothing was looked at.
package struct Evidence {
  private static let changes: Set<Call.Kind> = [
    .write, .swap, .delete, .insert, .transfer, .save,
  ]

  private let workload: WorkloadName
  /// All, for the names in them.
  private let calls: [Call]
  private let succeeded: [Call]

  package init(_ calls: [Call], of workload: WorkloadName) {
    self.workload = workload
    self.calls = calls
    succeeded = calls.filter { $0.outcome == .ok }
  }

  /// What is missing, for people; `nil`: nothing.
  package var gap: String? {
    switch workload {
    case .register: gapOfRegisters
    case .set: gapOfSets
    case .bank: gapOfBank
    case .append: gapOfFeeds
    case .subscriptions: gapOfSubscriptions
    case .leases: gapOfLeases
    }
  }

  private var gapOfRegisters: String? {
    if let gap = lacks(.write, .swap, what: "save") { return gap }
    return hasFinal { $0.kind == .read } ? nil : "no record was read in the end"
  }

  private var gapOfSets: String? {
    if let gap = lacks(.insert, what: "insert") { return gap }
    let sets = Set(succeeded.filter { $0.kind == .insert }.map(\.subject)).sorted()
    for set in sets where !hasFinal(of: set, { $0.kind == .list && $0.subject == set }) {
      return "the set '\(set)' was not read in the end"
    }
    let hasAll = hasFinal { $0.kind == .list && $0.subject.isEmpty }
    return hasAll ? nil : "the zone was not read in the end"
  }

  private var gapOfBank: String? {
    if let gap = lacks(.open, what: "opening") ?? lacks(.transfer, what: "transfer") { return gap }
    for manner in Call.audits where !hasFinal({ $0.kind == .audit && $0.manner == manner }) {
      return "the accounts were not read in the end: \(manner)"
    }
    return nil
  }

  private var gapOfFeeds: String? {
    if let gap = lacks(.save, what: "save") { return gap }
    for zone in FeedCheck.zones(in: calls).sorted() {
      let isRead = hasFinal(of: zone) {
        $0.kind == .page && $0.isLast && FeedCheck.zone(of: $0) == zone
      }
      guard isRead else { return "the feed of '\(zone)' was not read to its end" }
      let isFresh = hasFinal(of: zone) { $0.kind == .fresh && $0.subject == zone }
      guard isFresh else { return "the zone '\(zone)' was not read in the end" }
    }
    return nil
  }

  private var gapOfSubscriptions: String? {
    if let gap = gapOfSubscriptionCalls { return gap }
    if Firings(calls).required.isEmpty { return "no change had to fire a subscription" }
    let isRead = hasFinal { $0.kind == .log && $0.isLast }
    return isRead ? nil : "the log was not read to its end"
  }

  private var gapOfSubscriptionCalls: String? {
    lacks(.subscribe, what: "subscription") ?? lacks(.save, what: "save")
  }

  private var gapOfLeases: String? {
    if let gap = gapOfSubscriptionCalls { return gap }
    let isEmptied = hasFinal { $0.kind == .lease && $0.isLast }
    return isEmptied ? nil : "the group was not emptied"
  }

  /// A sentence, unless a call of one of these kinds succeeded.
  private func lacks(_ kinds: Call.Kind..., what: String) -> String? {
    succeeded.contains { kinds.contains($0.kind) } ? nil : "no \(what) succeeded"
  }

  /// Whether a call that succeeded began after all acknowledged changes, or those with a subject.
  private func hasFinal(of subject: String? = nil, _ isMeant: (Call) -> Bool) -> Bool {
    let changes = succeeded.filter { call in
      Self.changes.contains(call.kind) && subject.map { $0 == call.subject } ?? true
    }
    let end = changes.map(\.end).max() ?? .min
    return succeeded.contains { $0.begin >= end && isMeant($0) }
  }
}
