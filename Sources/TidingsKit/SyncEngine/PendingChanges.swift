/// A change that waits to be sent, of one item.
protocol PendingChange: Hashable, Sendable {
  associatedtype Item: Hashable & Sendable

  /// What it changes.
  var item: Item { get }
}

/// Changes that wait to be sent, at most one for each item.
///
/// A later opposite change replaces the earlier one, the same change merges with it. A change that is
/// added while it is being sent stays: what is sent may be older than it.
struct PendingChanges<Change: PendingChange>: Sendable {
  private struct Entry: Sendable {
    var change: Change
    /// Where it stands among the others.
    var position: UInt64
    /// When it was added last.
    var time: UInt64
  }

  private var entries: [Change.Item: Entry] = [:]
  /// Grows with each addition.
  private(set) var time: UInt64 = 0

  init(_ changes: [Change] = []) { for change in changes { add(change) } }

  var isEmpty: Bool { entries.isEmpty }

  /// In the order in which they were added first.
  var all: [Change] { entries.values.sorted { $0.position < $1.position }.map(\.change) }

  mutating func add(_ change: Change) {
    time += 1
    if let entry = entries[change.item], entry.change == change {
      entries[change.item]?.time = time
    } else {
      entries[change.item] = Entry(change: change, position: time, time: time)
    }
  }

  /// Removes a pending change, if it is this one.
  mutating func remove(_ change: Change) {
    if entries[change.item]?.change == change { entries[change.item] = nil }
  }

  /// Whether a change waits that was added last at a time, or before.
  func holds(_ change: Change, asOf time: UInt64) -> Bool {
    guard let entry = entries[change.item] else { return false }
    return entry.change == change && entry.time <= time
  }

  /// A change was dealt with as it was at a time: what was added since stays.
  ///
  /// - Returns: Whether it was taken away.
  mutating func settle(_ change: Change, asOf time: UInt64) -> Bool {
    guard let entry = entries[change.item], entry.change == change, entry.time <= time else {
      return false
    }
    entries[change.item] = nil
    return true
  }

  /// With those changes whose items have no others.
  func restoring(_ changes: [Change]) -> Self {
    var all = self
    for change in changes where entries[change.item] == nil { all.add(change) }
    return all
  }
}
