public import TidingsModel
public import TidingsSQL

/// What the calls of a group are going to read, where each read by itself would wait for a network.
///
/// Used in this order within an open transaction: `expect`, for each call; `takeReadsAhead`;
/// `SQLConnection.readAhead`, on any thread while nobody uses the engine; `use`.
public struct ReadsAhead {
  var records: [any SQLStatement] = []
  var answers: [any SQLStatement] = []

  /// None.
  public init() {}

  fileprivate init(records: [any SQLStatement], answers: [any SQLStatement]) {
    (self.records, self.answers) = (records, answers)
  }

  /// All of them.
  public var statements: [any SQLStatement] { records + answers }
}

extension Engine {
  /// A call is going to change records.
  public func expect(_ ids: [RecordID], in databaseID: DatabaseID, by caller: Caller) {
    for id in ids where !id.recordName.isEmpty {
      // What is wrong with it, the call itself finds out.
      guard let location = try? databaseID.location(of: id.zoneID, for: caller.user),
        let database = try? catalog.database(location.database),
        let zone = try? catalog.zone(location.zone, in: database)
      else { continue }
      records.table.ahead.want(RecordTable.Key(zone: zone.number, name: id.recordName))
    }
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
      records: try records.table.ahead.takeStatements(),
      answers: try quotas.answers.ahead.takeStatements()
    )
  }

  /// The reads were done: calls of this transaction use them.
  ///
  /// - Throws: `SQLError`.
  public func use(_ reads: ReadsAhead) throws {
    try records.table.ahead.take(reads.records)
    try quotas.answers.ahead.take(reads.answers)
  }

  /// Something may be written beside the calls that were expected: they read for themselves.
  public func forgetReadsAhead() {
    records.table.ahead.forgetAll()
    quotas.answers.ahead.forgetAll()
  }
}
