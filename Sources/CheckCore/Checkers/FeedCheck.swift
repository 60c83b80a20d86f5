/// Decides whether change feeds are append-only and complete: pages continue each other, change tags
/// ascend, what was acknowledged is in the feed, and a copy made from it equals a fresh read.
///
/// The subject of a save is its zone; that of a page is `READER/ZONE`.
package struct FeedCheck {
  private let saves: [Call]
  private let pages: [Call]
  private let fresh: [Call]

  package init(_ calls: [Call]) {
    saves = calls.filter { $0.kind == .save || $0.kind == .delete }
    pages = calls.filter { $0.kind == .page && $0.outcome == .ok }.sorted { $0.begin < $1.begin }
    fresh = calls.filter { $0.kind == .fresh && $0.outcome == .ok }
  }

  package func violations() -> [Violation] {
    var found: [Violation] = []
    let changes = Dictionary(grouping: saves, by: \.subject)
    for zone in Self.zones(in: saves + pages + fresh).sorted() {
      let saves = changes[zone] ?? []
      if let violation = CommitOrderCheck(saves).violation() { found.append(violation) }
      var readers = Dictionary(
        grouping: pages.filter { Self.zone(of: $0) == zone },
        by: \.subject
      )
      // Who got no page has an empty copy, which must equal a fresh read, too.
      if readers.isEmpty { readers[""] = [] }
      for (_, pages) in readers.sorted(by: { $0.key < $1.key }) {
        var copy = FeedCopy(saves)
        found += [copy.violation(following: pages)].compactMap { $0 }
        let read = fresh.first { $0.subject == zone }
        found += [read.flatMap { copy.difference(from: $0) }].compactMap { $0 }
      }
    }
    return found
  }

  /// The zones that calls are about, whatever became of them.
  static func zones(in calls: [Call]) -> Set<String> { Set(calls.map(zone(of:))) }

  /// The zone that a call is about.
  static func zone(of call: Call) -> String {
    guard call.kind == .page else { return call.subject }
    return String(call.subject.split(separator: "/", maxSplits: 1).last ?? "")
  }
}
