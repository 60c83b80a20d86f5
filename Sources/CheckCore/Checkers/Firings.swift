/// What subscriptions must and may fire, by what was saved.
///
/// Each record is changed by one process only, so that the versions before and after each change are
/// known; after a call of unknown outcome nobody changes the record again.
struct Firings {
  /// One firing of a subscription.
  struct Firing: Hashable, Sendable {
    var reason: String
    var call: Call
    /// It was acknowledged, and began after the subscription was acknowledged.
    var isRequired: Bool
  }

  /// A change of a record, as a subscription names it.
  struct Key: Hashable, Sendable {
    var subscription: String
    var record: String
    /// What it contains afterwards; `nil`: it was deleted.
    var value: Int64?

    init(_ subscription: String, _ record: String, _ value: Int64?) {
      (self.subscription, self.record, self.value) = (subscription, record, value)
    }

    init(_ notice: Notice) { self.init(notice.subscription, notice.record, notice.value) }
  }

  private(set) var possible: [Key: Firing] = [:]

  init(_ calls: [Call]) {
    let subscriptions = calls.filter { $0.kind == .subscribe && $0.outcome == .ok }
    let saves = calls.filter { ($0.kind == .save || $0.kind == .delete) && $0.outcome != .failed }
    var contents: [String: Int64] = [:]
    for call in saves.sorted(by: { $0.begin < $1.begin }) {
      for version in call.sent {
        let after = call.kind == .delete ? nil : version.value
        for subscription in subscriptions {
          add(subscription, version.name, contents[version.name], after, call)
        }
        contents[version.name] = after
      }
    }
  }

  private mutating func add(
    _ subscription: Call,
    _ record: String,
    _ before: Int64?,
    _ after: Int64?,
    _ call: Call
  ) {
    guard let reason = subscription.rule?.reason(from: before, to: after) else { return }
    let isUnknown = call.outcome == .unknown
    // What ended before the subscription was saved is not its business.
    guard isUnknown || call.end > subscription.begin else { return }
    possible[Key(subscription.subject, record, after)] = Firing(
      reason: reason,
      call: call,
      isRequired: !isUnknown && call.begin > subscription.end
    )
  }

  /// What must fire, in the order in which the changes were acknowledged.
  var required: [(key: Key, firing: Firing)] {
    possible.filter { $0.value.isRequired }.map { ($0.key, $0.value) }
      .sorted { $0.firing.call.end < $1.firing.call.end }
  }
}
