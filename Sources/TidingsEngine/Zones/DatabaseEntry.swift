internal import TidingsModel

/// A database's number and name, and the number of the last change of any of its zones.
///
/// Unchecked: plain values, on the loop's thread.
final class DatabaseEntry {
  /// 0: it is planned, and nothing is stored of it.
  @exclusivity(unchecked) var number: Int64
  let id: DatabaseID
  @exclusivity(unchecked) private(set) var head: Int64
  /// What its owner's databases take, once it was looked up.
  @exclusivity(unchecked) var usage: UsageEntry?
  /// How much the loop remembers, of its zones too.
  let remembered: RememberedCount
  /// How many zones it has besides the default one, once they were counted.
  @exclusivity(unchecked) var zoneCount: Int?

  init(
    number: Int64,
    id: DatabaseID,
    head: Int64,
    remembered: RememberedCount = RememberedCount()
  ) {
    self.number = number
    self.id = id
    self.head = head
    self.remembered = remembered
  }

  /// Takes the next number of the database, for the change of one zone.
  func advance() -> Int64 {
    head += 1
    return head
  }
}
