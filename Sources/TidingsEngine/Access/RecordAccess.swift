internal import TidingsModel

/// What a caller may do with the records of a database.
///
/// Asked for each record that a call reads or changes. The owner of a private database needs none: who
/// asks, is asked about less than everything.
protocol RecordAccess: AnyObject {
  /// Whether the caller may read a record.
  ///
  /// - Parameters:
  ///   - recordID: Which one.
  ///   - recordType: Its type.
  ///   - zone: Its zone.
  ///   - creator: The user who created it; read only if it matters.
  /// - Returns: `false`: to the caller the record is not there.
  /// - Throws: `SQLError`; what `creator` throws.
  func canRead(
    _ recordID: RecordID,
    of recordType: String,
    in zone: ZoneEntry,
    creator: () throws -> String
  ) throws -> Bool

  /// Refuses a save that the caller may not do, before it is compared with what is stored.
  ///
  /// - Parameters:
  ///   - sent: The record as it was sent, with its parent only if that is to change.
  ///   - old: The record as it is stored; `nil` for a creation.
  ///   - zone: The record's zone.
  /// - Throws: `ItemError`, which says nothing of a record that the caller may not read; `SQLError`.
  func check(saving sent: Record, over old: Record?, in zone: ZoneEntry) throws

  /// Refuses a deletion that the caller may not do.
  ///
  /// - Parameters:
  ///   - old: The record as it is stored.
  ///   - zone: The record's zone.
  /// - Returns: `false`: to the caller the record is not there, and so its deletion does nothing.
  /// - Throws: `ItemError`; `SQLError`.
  func check(deleting old: Record, in zone: ZoneEntry) throws -> Bool
}
