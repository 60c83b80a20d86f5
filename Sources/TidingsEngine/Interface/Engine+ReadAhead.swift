public import TidingsModel
public import TidingsSQL

/// What the calls of a group are going to read, where each read by itself would wait for a network.
///
/// Used in this order: `expect`, for each call; `takeReadsAhead`; its statements are read, on any thread, while the
/// transactions before are made durable; `use`, in the transaction of the calls.
public struct ReadsAhead {
  let records: RowsAhead<RecordTable.Key, RecordTable.Row>.Reading
  let answers: RowsAhead<AnswerLog.Key, AnswerLog.Row>.Reading

  /// All of them.
  public var statements: [any SQLStatement] { records.statements + answers.statements }
}

extension Engine {
  /// A call is going to read or change records.
  ///
  /// - Parameters:
  ///   - ids: Which ones.
  ///   - databaseID: Where.
  ///   - caller: Who calls.
  ///   - looksUp: Zones that are not known are looked up, which waits for the store.
  /// - Returns: Whether all zones are known. Else the call reads for itself.
  public func expect(
    _ ids: [RecordID],
    in databaseID: DatabaseID,
    by caller: Caller,
    looksUp: Bool
  ) -> Bool {
    guard !isStale else { return false }
    var areKnown = true
    for id in ids where !id.recordName.isEmpty && id.recordName.isPossibleName {
      // What is wrong with it, the call itself finds out.
      guard let location = try? databaseID.location(of: id.zoneID, for: caller.user),
        let database = try? catalog.known(location.database)
          ?? (looksUp ? catalog.database(location.database) : nil),
        let zone = try? catalog.known(location.zone, in: database)
          ?? (looksUp ? catalog.zone(location.zone, in: database) : nil)
      else {
        areKnown = false
        continue
      }
      records.table.ahead.want(RecordTable.Key(zone: zone.number, name: id.recordName))
    }
    return areKnown
  }

  /// A call with an idempotency key is going to look whether it was answered.
  public func expect(_ call: IdempotentCall) {
    quotas.answers.ahead.want(AnswerLog.Key(owner: call.owner, key: call.keyBytes))
  }

  /// The reads of the calls that are expected.
  ///
  /// - Throws: `SQLError`.
  public func takeReadsAhead() throws(SQLError) -> ReadsAhead {
    ReadsAhead(
      records: try records.table.ahead.takeReading(),
      answers: try quotas.answers.ahead.takeReading()
    )
  }

  /// The reads were done: calls of this transaction, which has written nothing since they began, use them.
  ///
  /// - Throws: `SQLError`.
  public func use(_ reads: ReadsAhead) throws {
    try records.table.ahead.take(reads.records)
    try quotas.answers.ahead.take(reads.answers)
  }

  /// Something may be written beside the calls that were expected: they read for themselves.
  public func forgetReadsAhead() {
    records.table.ahead.forget()
    quotas.answers.ahead.forget()
  }
}
