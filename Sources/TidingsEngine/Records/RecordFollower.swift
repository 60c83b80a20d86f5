internal import TidingsModel
internal import TidingsSQL

/// What hangs on records and changes with them, in the same transaction: references, assets, index
/// entries.
protocol RecordFollower: AnyObject {
  /// Refuses a record that cannot be saved; called before anything of the call is written.
  ///
  /// - Parameters:
  ///   - new: The record as it would be stored.
  ///   - old: The record as it is stored; `nil` for a creation.
  ///   - zone: The record's zone.
  ///   - database: The zone's database.
  /// - Throws: `ItemError`; `SQLError`.
  func check(
    _ new: Record,
    replacing old: Record?,
    in zone: ZoneEntry,
    of database: DatabaseEntry
  ) throws

  /// About how many entries of indexes a save changes.
  ///
  /// - Parameters:
  ///   - new: The record as it would be stored.
  ///   - old: The record as it is stored; `nil` for a creation.
  ///   - database: The record's database.
  /// - Returns: 0 for what has no entries.
  func entryCount(
    _ new: Record,
    replacing old: Record?,
    in database: DatabaseEntry
  ) -> Int

  /// About how many rows follow a write, besides entries of indexes.
  ///
  /// - Parameters:
  ///   - write: What is about to be written.
  ///   - database: The zone's database.
  /// - Returns: 0 for what has few rows.
  /// - Throws: `SQLError`.
  func rowCount(following write: RecordPlan.Write, in database: DatabaseEntry) throws -> Int

  /// Follows a record that was just written.
  ///
  /// - Parameters:
  ///   - write: What was written. At least one of `old` and `new` is there.
  ///   - database: The zone's database.
  ///   - call: What wrote it.
  /// - Throws: `SQLError`.
  func follow(_ write: RecordPlan.Write, in database: DatabaseEntry, of call: CallContext) throws

  /// Follows the deletion of a zone at once, as far as callers can see; called while its rows exist.
  ///
  /// - Throws: `SQLError`.
  func followDeletion(of zone: ZoneEntry, in database: DatabaseEntry, by call: CallContext) throws

  /// Removes some of the rows of a zone that was deleted.
  ///
  /// - Parameters:
  ///   - zone: The zone.
  ///   - limit: Most rows.
  ///   - time: The time of the transaction, which may come after that of the deletion.
  /// - Returns: How many rows; fewer than `limit`: none is left.
  /// - Throws: `SQLError`.
  func removeRows(of zone: DeletedZone, limit: Int, at time: SteadyTime) throws -> Int
}

extension RecordFollower {
  /// Nothing is refused.
  func check(
    _ new: Record,
    replacing old: Record?,
    in zone: ZoneEntry,
    of database: DatabaseEntry
  ) throws {}

  /// Callers do not notice it.
  func followDeletion(of zone: ZoneEntry, in database: DatabaseEntry, by call: CallContext) {}

  /// It has no rows.
  func removeRows(of zone: DeletedZone, limit: Int, at time: SteadyTime) throws -> Int { 0 }

  /// It has few rows.
  func rowCount(following write: RecordPlan.Write, in database: DatabaseEntry) throws -> Int { 0 }

  /// It has no entries.
  func entryCount(
    _ new: Record,
    replacing old: Record?,
    in database: DatabaseEntry
  ) -> Int { 0 }
}
