internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// Finds records by their names, on the loop's connection or a reader's.
final class RecordLookup {
  /// Whether the caller may read a record of a public database.
  typealias Reading =
    (
      _ recordID: RecordID, _ recordType: String, _ zone: ZoneEntry,
      _ creator: () throws -> String
    ) throws -> Bool

  private let catalog: Catalog
  private let records: RecordTable
  private let shares: ShareReader
  private let codec: BodyCodec

  init(catalog: Catalog, records: RecordTable, shares: ShareReader, codec: BodyCodec) {
    (self.catalog, self.records, self.shares, self.codec) = (catalog, records, shares, codec)
  }

  /// Lends an encoded record, valid for the call.
  ///
  /// - Parameters:
  ///   - id: The record, in a shared database with the owner of its zone.
  ///   - databaseID: Its database.
  ///   - caller: Who asks.
  ///   - reading: What the caller may read of a public database.
  ///   - body: Takes the record.
  /// - Throws: `ItemError` `unknownItem` or `zoneNotFound`; `SQLError`; what `body` throws.
  func withRecord(
    _ id: RecordID,
    in databaseID: DatabaseID,
    caller: Caller,
    reading: Reading,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let location = try databaseID.location(of: id.zoneID, for: caller.user)
    let id = RecordID(recordName: id.recordName, zoneID: location.zone)
    try id.validate()
    let database = try catalog.database(location.database)
    let found = try database.flatMap { try catalog.zone(id.zoneID, in: $0) }
    if databaseID.scope == .shared {
      return try withSharedRecord(id, in: found, of: location.database.owner, caller, body)
    }
    guard let zone = found else {
      guard id.zoneID == .default else {
        throw try catalog.absence(of: id.zoneID, in: database, scope: databaseID.scope)
      }
      return try withUnsavedRecord(id, of: caller, body)
    }
    guard databaseID.scope == .public else {
      guard try records.withBody(id.recordName, in: zone, body) else {
        return try withUnsavedRecord(id, of: caller, body)
      }
      return
    }
    guard let row = try records.row(id.recordName, in: zone), let stored = row.body else {
      return try withUnsavedRecord(id, of: caller, body)
    }
    guard
      try reading(
        id,
        row.recordType,
        zone,
        { try stored.withUnsafeBytes { try codec.decodeRecord($0) }.creator }
      )
    else { throw unknown(id) }
    try stored.withUnsafeBytes(body)
  }

  /// Lends the caller's own user record as it is before its first save: without fields and change tag.
  private func withUnsavedRecord(
    _ id: RecordID,
    of caller: Caller,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard id.isUserRecord(of: caller.user) else { throw unknown(id) }
    try codec.encode(Record(recordID: id, recordType: UserRecord.recordType))
      .withUnsafeBytes(body)
  }

  /// Lends an encoded record of another user's, which names no owner.
  private func withSharedRecord(
    _ id: RecordID,
    in zone: ZoneEntry?,
    of owner: String,
    _ caller: Caller,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let access = ParticipantAccess(caller.user, shares)
    guard let zone, try !access.shares(in: zone).isEmpty else {
      throw ItemError.zoneNotShared(id.zoneID, by: owner)
    }
    guard try access.canRead(id, of: "", in: zone, creator: { "" }),
      try records.withBody(
        id.recordName,
        in: zone,
        { stored in
          guard let seen = try codec.body(stored, seenBy: caller.user) else {
            return try body(stored)
          }
          try seen.withUnsafeBytes(body)
        }
      )
    else { throw unknown(id) }
  }

  private func unknown(_ id: RecordID) -> ItemError {
    ItemError(.unknownItem, "record '\(id.recordName)' does not exist")
  }
}
