/// Which hierarchical shares hold records of a zone, once it was looked up.
///
/// Held by the zone's entry on the loop; whatever changes what a share holds makes it forget.
struct HeldRecords {
  /// The share that holds a record.
  struct Holding: Hashable {
    /// The share's number in the store.
    let share: Int64
    /// The zone's number when the record came into it.
    let came: Int64
  }

  /// Records of a zone that are remembered, those that no share holds too.
  private static let recordsMax = 256

  private var byName: [String: Holding?] = [:]

  /// Of how many records this is remembered.
  var count: Int { byName.count }

  /// What holds a record, `.some(nil)`: nothing; `nil`: it was not looked up.
  subscript(name: String) -> Holding?? { byName[name] }

  /// Remembers what was looked up.
  mutating func remember(_ holding: Holding?, of name: String) {
    if byName.count >= Self.recordsMax { byName.removeAll(keepingCapacity: true) }
    byName[name] = .some(holding)
  }

  /// A record came into a share, or left it.
  mutating func forget(_ name: String) { byName[name] = nil }

  /// A share has ended.
  mutating func forget() { byName.removeAll() }
}
