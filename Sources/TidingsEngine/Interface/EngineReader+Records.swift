public import TidingsModel

extension EngineReader {
  /// Lends an encoded record, valid for the call.
  ///
  /// - Throws: `ItemError` `unknownItem` or `zoneNotFound`; `SQLError`.
  public func withRecord(
    _ id: RecordID,
    in databaseID: DatabaseID,
    caller: Caller,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try recordLookup().withRecord(
      id,
      in: databaseID,
      caller: caller,
      reading: { _, recordType, _, creator in
        try publicReading(of: caller.user, in: databaseID)?.mayRead(recordType, creator: creator)
          ?? true
      },
      body
    )
  }
}
