/// One call of a run: what was sent, what was answered, and when.
///
/// Calls of all workloads have the same shape, so that one format stores them; a workload uses the
/// members that it needs, and the others are empty.
package struct Call: Hashable, Sendable {
  /// What a call does.
  package enum Kind: String, CaseIterable, Sendable {
    /// Fetches a record.
    case read
    /// Saves a record whatever is stored.
    case write
    /// Saves a record if the stored version is the one sent.
    case swap
    /// Deletes a record.
    case delete
    /// Saves new records, all or none.
    case insert
    /// Reads all records of a set.
    case list
    /// Saves the accounts of a bank.
    case open
    /// Changes two accounts, both or none.
    case transfer
    /// Reads all accounts in one snapshot.
    case audit
    /// Saves records of one process.
    case save
    /// Reads a page of a change feed.
    case page
    /// Reads a zone from the beginning.
    case fresh
    /// Saves a subscription.
    case subscribe
    /// Reads a page of the notification log.
    case log
    /// An inbox delivered a notification.
    case delivery
    /// Leases notifications.
    case lease
    /// Settles a lease.
    case settle
  }

  /// How a call ended.
  package enum Outcome: String, Sendable {
    /// It took effect between its begin and its end.
    case ok
    /// It never takes effect.
    case failed
    /// It takes effect at any time after its begin, or never.
    case unknown
  }

  /// The logical process: its calls follow each other.
  package var process = 0
  /// Nanoseconds since the start of the run.
  package var begin: Int64 = 0
  /// Nanoseconds since the start of the run, when the answer was there.
  package var end: Int64 = 0
  package var kind: Kind
  /// What it is about: a record, a set, a feed with its reader, a subscription, a group.
  package var subject = ""
  package var outcome = Outcome.ok
  /// Why it failed, or is unknown.
  package var reason = ""
  /// What was to be written.
  ///
  /// Of `swap`: the version that must be stored, and the new one.
  package var sent: [Version] = []
  /// What was read, or what was written as stored.
  package var got: [Version] = []
  /// Where a page begins.
  package var token = ""
  /// Where the next page begins.
  package var nextToken = ""
  /// The page reaches the end.
  package var isLast = false
  /// The notifications of a page, a delivery or a lease.
  package var notices: [Notice] = []
  /// What a query subscription fires for; `nil`: it is one of a zone.
  package var rule: Rule?
  /// How a lease is settled, or how a consumer ended its work.
  package var manner = ""
  /// How long a lease lasts.
  package var milliseconds: Int64 = 0

  package init(_ kind: Kind, _ subject: String = "") {
    self.kind = kind
    self.subject = subject
  }
}

extension Call: CustomStringConvertible {
  /// One line, for people.
  package var description: String {
    var words = ["process \(process)", "\(Self.time(begin))–\(Self.time(end))", kind.rawValue]
    if !subject.isEmpty { words.append(subject) }
    if !manner.isEmpty { words.append(manner) }
    if !sent.isEmpty { words.append("sent " + Self.brief(sent)) }
    words.append(outcome == .ok ? "ok" : "\(outcome.rawValue) (\(reason))")
    if !got.isEmpty { words.append("got " + Self.brief(got)) }
    if !notices.isEmpty { words.append(Self.brief(notices)) }
    return words.joined(separator: " ")
  }

  private static let itemsMax = 6

  private static func brief(_ items: [some CustomStringConvertible]) -> String {
    let shown = items.prefix(itemsMax).map(\.description).joined(separator: ", ")
    return items.count > itemsMax ? "\(shown) and \(items.count - itemsMax) more" : shown
  }

  private static func time(_ nanoseconds: Int64) -> String {
    let digits = String(nanoseconds / 1000 % 1_000_000)
    return "\(nanoseconds / 1_000_000_000)."
      + String(repeating: "0", count: 6 - digits.count) + digits
  }
}
