/// Decides whether subscriptions notify each consumer of every change that matches, once, in order, and
/// of nothing else.
///
/// A consumer reads pages of the log (`log`), or has an inbox (`delivery`), of which only what it
/// stored counts.
package struct SubscriptionCheck {
  private let calls: [Call]

  package init(_ calls: [Call]) { self.calls = calls.sorted { $0.begin < $1.begin } }

  package func violations() -> [Violation] {
    let firings = Firings(calls)
    let subscribed = calls.filter { $0.kind == .subscribe && $0.outcome == .ok }
    let starts = Dictionary(
      subscribed.map { ($0.subject, $0.notices.first?.number ?? 0) }
    ) { first, _ in first }
    let zoneNotices = Dictionary(
      subscribed.filter { $0.rule == nil }.map { ($0.subject, ZoneNotices($0, calls)) }
    ) { first, _ in first }
    let logs = calls.filter { $0.kind == .log && $0.outcome == .ok }
    let deliveries = calls.filter { $0.kind == .delivery && $0.outcome == .ok }
    var found: [Violation] = []
    for (_, pages) in Dictionary(grouping: logs, by: \.subject).sorted(by: { $0.key < $1.key }) {
      var consumer = ConsumerCheck(firings, starts, zoneNotices)
      found += [consumer.violation(inLog: pages)].compactMap { $0 }
    }
    for (_, items) in Dictionary(grouping: deliveries, by: \.subject)
      .sorted(by: { $0.key < $1.key })
    {
      var consumer = ConsumerCheck(firings, starts, zoneNotices)
      found += [consumer.violation(inInbox: items)].compactMap { $0 }
    }
    return found + [differing].compactMap { $0 }
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
