public import TidingsModel

extension Engine {
  /// Saves and deletes records.
  public func modifyRecords(_ changes: RecordChanges, caller: Caller) throws -> ModifiedRecords {
    try asOneCall(by: caller) { call in
      guard changes.database.scope != .shared else {
        return try modifications.records.inSharedDatabase(
          changes,
          shares: sharing.reader,
          in: call
        )
      }
      return try modifications.records(
        changes,
        access: try access(of: caller, to: changes.database),
        in: call
      )
    }
  }

  /// What a caller may do with the records of a database; `nil`: everything.
  func access(of caller: Caller, to database: DatabaseID) throws -> (any RecordAccess)? {
    switch database.scope {
    case .public: try access.publicAccesses.access(of: caller.user, in: database)
    case .private: nil
    case .shared: ParticipantAccess(caller.user, sharing.reader)
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
    try modifications.recordLookup.withRecord(
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
