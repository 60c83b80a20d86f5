public import TidingsProto

/// A query that the oracle understands.
public struct OracleQuery: Hashable, Sendable {
  public var database: Oracle.Database
  public var recordType: String
  public var predicate: OraclePredicate
  public var order: [TidingsV1.SortDescriptor] = []
  /// `nil`: all zones.
  public var zone: String?

  public init(_ recordType: String, in database: Oracle.Database, _ predicate: OraclePredicate) {
    (self.recordType, self.database, self.predicate) = (recordType, database, predicate)
  }

  public var message: TidingsV1.QueryRecordsRequest {
    .init(
      databaseID: database.id,
      recordType: recordType,
      predicate: predicate.message,
      sortDescriptors: order,
      zoneID: zone.map { .init(zoneName: $0) }
    )
  }

  func matches(_ record: TidingsV1.Record) -> Bool {
    record.recordType == recordType
      && predicate.naming(zone ?? Oracle.defaultZone).matches(record)
  }
}

/// A client that turns the pages of a query, and judges each of them.
public struct OracleQueryReader: Sendable {
  public let query: OracleQuery

  /// What matched all the time, what matched at some time, and what has come.
  private var owed: Set<TidingsV1.RecordID>
  private var possible: Set<TidingsV1.RecordID>
  private var seen: Set<TidingsV1.RecordID> = []
  private var last: TidingsV1.Record?
  /// Something was saved since the first page.
  private var isDisturbed = false
  private var present: [TidingsV1.RecordID: TidingsV1.Record]

  public init(_ query: OracleQuery, _ oracle: Oracle) {
    self.query = query
    present = oracle.records(in: query.database, zone: query.zone)
    owed = Set(present.filter { query.matches($0.value) }.keys)
    possible = owed
  }

  /// Takes in what was saved meanwhile.
  public mutating func observe(_ oracle: Oracle) {
    let now = oracle.records(in: query.database, zone: query.zone)
    isDisturbed = isDisturbed || now != present
    present = now
    let matching = Set(now.filter { query.matches($0.value) }.keys)
    owed.formIntersection(matching)
    possible.formUnion(matching)
  }

  /// Takes a page in.
  ///
  /// - Returns: What is wrong with it; `nil`: nothing.
  public mutating func read(
    _ page: TidingsV1.QueryRecordsResponse,
    keys: [String]?,
    limit: UInt32,
    _ oracle: Oracle
  ) -> String? {
    if limit > 0, page.records.count > limit { return "\(page.records.count) records in the page" }
    for record in page.records {
      guard let id = record.recordID else { return "a record without ID" }
      guard possible.contains(id) else { return "does not match: \(record.brief)" }
      guard seen.insert(id).inserted else { return "comes twice: \(record.brief)" }
      let tag = record.changeTag
      let version = isDisturbed ? oracle.version(tag, of: id, in: query.database) : present[id]
      if let version {
        guard query.matches(version) else { return "did not match as it was: \(version.brief)" }
        guard record.normalized() == version.keeping(keys) else {
          return "got      \(record.normalized().brief)\nexpected \(version.keeping(keys).brief)"
        }
        // The oracle does not know the times.
        var sorted = version
        (sorted.created, sorted.modified) = (record.created, record.modified)
        if !isDisturbed, let last, OracleOrder.isBefore(sorted, last, query.order) {
          return "comes too late: \(version.brief)\nafter \(last.brief)"
        }
        last = sorted
      } else if !isDisturbed || oracle.fetch([id], in: query.database)[0].record != nil {
        return "was never so: \(record.brief)"
      }
    }
    guard page.cursor.isEmpty, let missed = owed.subtracting(seen).first else { return nil }
    return "misses \(present[missed]?.brief ?? missed.brief), of \(owed.subtracting(seen).count)"
  }
}
