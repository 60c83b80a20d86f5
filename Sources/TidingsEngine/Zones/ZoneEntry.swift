internal import TidingsModel

/// A zone's number and the number of its last change.
///
/// The loop that owns the engine is the only writer, so the head is taken here and written once per
/// transaction.
///
/// Unchecked where it is a plain value.
final class ZoneEntry {
  /// 0: it is planned, and nothing is stored of it.
  @exclusivity(unchecked) var number: Int64
  let id: ZoneID
  let created: Timestamp
  let database: DatabaseEntry
  @exclusivity(unchecked) private(set) var head: Int64
  @exclusivity(unchecked) var isDirty = false
  /// What it takes of its owner's quota; written with the head.
  @exclusivity(unchecked) var usage: Usage
  /// Its shares, on the loop, once they were looked up.
  var shares: ZoneShares?
  /// The newest removal of a deleted zone of its name when the first record was created, on the loop; 0:
  /// there was none.
  @exclusivity(unchecked) var predecessor: Int64?
  /// What users have accepted in it, on the loop.
  var acceptances = Acceptances()
  /// Which of its records shares hold, on the loop.
  var heldRecords = HeldRecords()

  init(
    number: Int64,
    id: ZoneID,
    created: Timestamp,
    head: Int64,
    database: DatabaseEntry,
    usage: Usage = Usage()
  ) {
    self.number = number
    self.id = id
    self.created = created
    self.head = head
    self.database = database
    self.usage = usage
  }

  /// How much is remembered of its shares, and of what users may do in it.
  var detailCount: Int {
    (shares?.count ?? 0) + acceptances.count + heldRecords.count
  }

  /// They are looked up again.
  func forgetDetails() {
    shares = nil
    acceptances.forget()
    heldRecords.forget()
  }

  /// Takes the next number of the zone, for one batch.
  func advance() -> Int64 {
    head += 1
    isDirty = true
    return head
  }
}
