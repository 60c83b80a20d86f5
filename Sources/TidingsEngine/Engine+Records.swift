public import TidingsModel

extension Engine {
  /// Saves and deletes records.
  public func modifyRecords(_ changes: RecordChanges, caller: Caller) throws -> ModifiedRecords {
    try events.asOneCall(by: caller, at: moment) {
      guard changes.database.scope != .shared else {
        return try recordChanges.inSharedDatabase(
          changes,
          caller: caller,
          shares: shareReader,
          at: moment
        )
      }
      return try recordChanges(
        changes,
        caller: caller,
        access: try access(of: caller, to: changes.database),
        at: moment
      )
    }
  }

  /// What a caller may do with the records of a database; `nil`: everything.
  func access(of caller: Caller, to database: DatabaseID) throws -> (any RecordAccess)? {
    switch database.scope {
    case .public: try publicAccesses.access(of: caller.user, in: database)
    case .private: nil
    case .shared: ParticipantAccess(caller.user, shareReader)
    }
  }

  /// Lends an encoded record, valid for the call.
  ///
  /// - Throws: `ItemError` `unknownItem` or `zoneNotFound`; `SQLError`.
  public func withRecord(
    _ id: RecordID,
    in databaseID: DatabaseID,
    caller: Caller,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let place = try databaseID.place(of: id.zoneID, for: caller.user)
    let id = RecordID(recordName: id.recordName, zoneID: place.zone)
    try id.validate()
    let database = try catalog.database(place.database)
    let found = try database.flatMap { try catalog.zone(id.zoneID, in: $0) }
    if databaseID.scope == .shared {
      return try withSharedRecord(id, in: found, of: place.database.owner, caller, body)
    }
    guard let zone = found else {
      guard id.zoneID == .default else {
        throw try catalog.absence(of: id.zoneID, in: database, scope: databaseID.scope)
      }
      throw unknown(id)
    }
    guard let access = try access(of: caller, to: databaseID) else {
      guard try records.withBody(id.recordName, in: zone, body) else { throw unknown(id) }
      return
    }
    guard let row = try records.row(id.recordName, in: zone), let stored = row.body,
      try access.canRead(
        id,
        of: row.recordType,
        in: zone,
        creator: { try stored.withUnsafeBytes { try codec.decodeRecord($0) }.creator }
      )
    else { throw unknown(id) }
    try stored.withUnsafeBytes(body)
  }

  /// Lends an encoded record of another user's, which names no owner.
  private func withSharedRecord(
    _ id: RecordID,
    in zone: ZoneEntry?,
    of owner: String,
    _ caller: Caller,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let access = ParticipantAccess(caller.user, shareReader)
    guard let zone, try !access.shares(in: zone).isEmpty else {
      throw ItemError.zoneNotShared(id.zoneID, by: owner)
    }
    guard try access.canRead(id, of: "", in: zone, creator: { "" }),
      try records.withBody(id.recordName, in: zone, body)
    else { throw unknown(id) }
  }

  private func unknown(_ id: RecordID) -> ItemError {
    ItemError(.unknownItem, "record '\(id.recordName)' does not exist")
  }
}
