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
    try recordLookup.withRecord(
      id,
      in: databaseID,
      caller: caller,
      reading: { id, recordType, zone, creator in
        try access(of: caller, to: databaseID)?.canRead(
          id,
          of: recordType,
          in: zone,
          creator: creator
        ) ?? true
      },
      body
    )
  }
}
