internal import TidingsModel
internal import TidingsSQL

/// Finds one page of a query.
final class QueryRun {
  /// What a run reads with.
  struct Source {
    let rows: QueryRows
    let ancestors: AncestorLog
    let codec: any BodyCodec
    let limits: Limits
  }

  private let source: Source
  private let query: RecordQuery
  private let plan: QueryPlan
  private let zones: [QueryZone]
  private let start: QueryPosition?
  private let visibility: QueryVisibility
  private let limit: Int
  private let deliver: (UnsafeRawBufferPointer) throws -> Void

  /// What was looked at so far.
  private(set) var rowsVisited = 0
  private(set) var recordsRead = 0
  private(set) var recordsMatched = 0
  /// The page ended because of the rows looked at: records that match may be left, or none.
  private(set) var endedEarly = false
  private var bytes = 0
  /// Where the next page begins; `nil`: this was the last.
  private(set) var next: QueryPosition?

  /// A page of a query.
  ///
  /// - Parameters:
  ///   - source: What to read with.
  ///   - query: The query.
  ///   - plan: How it is answered, the same for all pages.
  ///   - zones: In the order of their numbers.
  ///   - start: The first record that is not in an earlier page.
  ///   - visibility: Which records the caller may see.
  ///   - limit: Most records.
  ///   - deliver: Takes an encoded record, valid for the call.
  init(
    _ source: Source,
    _ query: RecordQuery,
    _ plan: QueryPlan,
    zones: [QueryZone],
    from start: QueryPosition?,
    _ visibility: QueryVisibility,
    limit: Int,
    _ deliver: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) {
    self.source = source
    self.query = query
    self.plan = plan
    self.zones = zones
    self.start = start
    self.visibility = visibility
    self.limit = limit
    self.deliver = deliver
  }

  /// Delivers the page.
  ///
  /// - Throws: `ItemError` `limitExceeded` when too much would have to be sorted;
  ///   `changeTokenExpired` when nobody knows any more what a record was at the begin; `SQLError`.
  func callAsFunction() throws {
    if case .sorted(let isPrefix) = plan.order {
      try sorted(isPrefix: isPrefix)
    } else {
      try inOrder()
    }
  }

  // MARK: In the order of the access

  private func inOrder() throws {
    try visit(from: start) { row in
      guard recordsMatched < limit, rowsVisited < source.limits.queryRowsPerPageMax else {
        next = row.position
        endedEarly = recordsMatched < limit
        return false
      }
      rowsVisited += 1
      guard row.isRecord, try matches(row) else { return true }
      guard try delivered(row) else {
        next = row.position
        return false
      }
      return true
    }
  }

  /// Whether a row's record matches as it is now.
  private func matches(_ row: VisitedRow) throws -> Bool {
    recordsRead += 1
    if plan.isExact, row.isCurrent, visibility == .all { return true }
    return try currentMatch(row) != nil
  }

  /// The record as it is now, if it matches.
  private func currentMatch(_ row: VisitedRow) throws -> Record? {
    let record = try decode(row)
    // What was deleted and made anew may have another type.
    guard record.recordType == query.recordType, query.predicate.matches(record),
      try visibility.shows(record)
    else { return nil }
    return record
  }

  private func decode(_ row: VisitedRow) throws -> Record {
    var record: Record?
    try row.withBody { record = try source.codec.decodeRecord($0) }
    guard let record else { throw SQLError(.damaged, "a record without a body") }
    return record
  }

  /// Delivers a record, unless the page is full of bytes.
  private func delivered(_ row: VisitedRow) throws -> Bool {
    var fits = true
    try row.withBody { body in
      fits = recordsMatched == 0 || bytes + body.count <= source.limits.answerBytesMax
      guard fits else { return }
      try deliver(body)
      bytes += body.count
      recordsMatched += 1
    }
    return fits
  }

  private func visit(from start: QueryPosition?, _ body: QueryRows.Visitor) throws {
    try source.rows.visit(plan.access, of: query.recordType, in: zones, from: start, body)
  }

  // MARK: Sorted

  private func sorted(isPrefix: Bool) throws {
    let order = QueryOrder(query.sortKeys)
    var top = TopRecords(order, capacity: limit + 1)
    try visit(from: isPrefix ? firstKeyOfStart : nil) { row in
      if isPrefix, let last = top.last, isBehind(row.key, last) { return false }
      rowsVisited += 1
      guard rowsVisited <= source.limits.querySortedRowsMax else { throw tooManyToSort }
      guard row.isRecord else { return true }
      recordsRead += 1
      guard let current = try currentMatch(row), let then = try atBegin(row, current) else {
        return true
      }
      let position = QueryPosition(
        keys: order.keys(of: then),
        zone: row.zone.number,
        name: row.name
      )
      if let start, order.precedes(position, start) { return true }
      top.offer(position)
      return true
    }
    try deliver(top.sorted())
  }

  /// Where the records begin that have the first key of the place to start at.
  private var firstKeyOfStart: QueryPosition? {
    guard let start, let first = start.keys.first, let zone = zones.first, let end = zones.last
    else { return nil }
    guard query.sortKeys[0].isDescending else {
      return QueryPosition(keys: [first], zone: zone.number, name: "")
    }
    return QueryPosition(keys: [first], zone: end.number, name: QueryAccess.nameMax)
  }

  private func isBehind(_ key: IndexKey, _ last: QueryPosition) -> Bool {
    QueryOrder.precedes(last.keys[0], key, isDescending: query.sortKeys[0].isDescending)
  }

  private func deliver(_ positions: [QueryPosition]) throws {
    let byNumber = Dictionary(uniqueKeysWithValues: zones.map { ($0.number, $0) })
    for position in positions {
      guard recordsMatched < limit, let zone = byNumber[position.zone] else {
        next = position
        return
      }
      var fits = true
      try source.rows.withRecord(at: position, in: zone) { fits = try delivered($0) }
      guard fits else {
        next = position
        return
      }
    }
  }

  /// The record as it was when the query began, by which it is sorted; `nil`: it was not there.
  private func atBegin(_ row: VisitedRow, _ current: Record) throws -> Record? {
    guard row.sequence > row.zone.head else { return current }
    var steps = AncestorLog.stepsMax
    let version = try source.ancestors.version(
      from: row.previous,
      asOf: row.zone.head,
      steps: &steps
    )
    switch version {
    case .absent: return nil
    case .present(_, let body):
      return try body.withUnsafeBytes { try source.codec.decodeRecord($0) }
    case .forgotten:
      throw ItemError(
        .changeTokenExpired,
        "the records changed so much since the query began that its order is no longer known: run "
          + "the query again"
      )
    }
  }

  private var tooManyToSort: ItemError {
    ItemError(
      .limitExceeded,
      "the query would have to sort more than \(source.limits.querySortedRowsMax) records: "
        + QueryAdvice.toSort(query)
    )
  }
}
