/// The shares of a zone that have not ended, in memory on the loop.
final class ZoneShares {
  /// One of them.
  final class Entry {
    /// In the store.
    let number: Int64
    /// The share's own record.
    let name: String
    /// The record that is shared with its descendants; empty: the zone.
    let root: String
    /// How many records a hierarchical share holds, once they were counted.
    var recordCount: Int?

    init(number: Int64, name: String, root: String) {
      self.number = number
      self.name = name
      self.root = root
    }
  }

  private(set) var byRoot: [String: Entry] = [:]
  private(set) var byName: [String: Entry] = [:]
  private(set) var byNumber: [Int64: Entry] = [:]

  /// How many there are.
  var count: Int { byNumber.count }
  /// The zone has none, as most.
  var isEmpty: Bool { byRoot.isEmpty }
  /// The share of the whole zone; then there is no other.
  var zoneWide: Entry? { byRoot[""] }
  /// It has shares of records with their descendants.
  var isHierarchical: Bool { !isEmpty && zoneWide == nil }

  func add(_ entry: Entry) {
    byRoot[entry.root] = entry
    byName[entry.name] = entry
    byNumber[entry.number] = entry
  }

  func remove(_ entry: Entry) {
    byRoot[entry.root] = nil
    byName[entry.name] = nil
    byNumber[entry.number] = nil
  }
}
