/// Decides whether subscriptions notify each consumer of every change that matches, once, in order, and
/// of nothing else.
///
/// A consumer reads pages of the log (`log`), or has an inbox (`delivery`), of which only what it
/// stored counts.
package struct SubscriptionCheck {
  /// The consumer that reads the log.
  package static let log = "log"
  /// The consumer that has an inbox.
  package static let inbox = "inbox"

  private let calls: [Call]
  private let consumers: Set<String>

  /// A check of calls.
  ///
  /// - Parameters:
  ///   - calls: All of a run.
  ///   - consumers: Who must have got everything, whether it got something or not.
  package init(
    _ calls: [Call],
    consumers: Set<String> = [SubscriptionCheck.log, SubscriptionCheck.inbox]
  ) {
    self.calls = calls.sorted { $0.begin < $1.begin }
    self.consumers = consumers
  }

  package func violations() -> [Violation] {
    let firings = Firings(calls)
    let subscribed = calls.filter { $0.kind == .subscribe && $0.outcome == .ok }
    let starts = Dictionary(
      subscribed.map { ($0.subject, $0.notices.first?.number ?? 0) }
    ) { first, _ in first }
    let zoneNotices = Dictionary(
      subscribed.filter { $0.rule == nil }.map { ($0.subject, ZoneNotices($0, calls)) }
    ) { first, _ in first }
    var found: [Violation] = []
    for (_, pages) in groups(of: .log, with: Self.log) {
      var consumer = ConsumerCheck(firings, starts, zoneNotices)
      found += [consumer.violation(inLog: pages)].compactMap { $0 }
    }
    for (_, items) in groups(of: .delivery, with: Self.inbox) {
      var consumer = ConsumerCheck(firings, starts, zoneNotices)
      found += [consumer.violation(inInbox: items)].compactMap { $0 }
    }
    return found + [differing].compactMap { $0 }
  }

  /// The calls of a kind by consumer; none of a consumer that is expected and got nothing.
  private func groups(
    of kind: Call.Kind,
    with expected: String
  ) -> [(consumer: String, calls: [Call])] {
    let meant = calls.filter { $0.kind == kind && $0.outcome == .ok }
    var groups = Dictionary(grouping: meant, by: \.subject)
    if consumers.contains(expected) { groups[expected] = groups[expected] ?? [] }
    return groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// All consumers get the same notification under a number.
  private var differing: Violation? {
    var seen: [String: (key: Firings.Key, call: Call)] = [:]
    for call in calls where call.kind == .log || call.kind == .delivery {
      for notice in call.notices {
        let (number, key) = ("\(notice.subscription)#\(notice.number)", Firings.Key(notice))
        if let earlier = seen[number], earlier.key != key {
          return Violation("two notifications have the number \(number)", [earlier.call, call])
        }
        seen[number] = (key, call)
      }
    }
    return nil
  }
}
