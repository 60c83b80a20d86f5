internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// How far a page of a query has come.
///
/// It holds no snapshot and no statement: another thread may go on with it.
struct QueryProgress {
  /// What was looked at so far.
  var rowsVisited = 0
  var recordsRead = 0
  var recordsMatched = 0
  /// The page ended because of the rows looked at: records that match may be left, or none.
  var endedEarly = false
  var bytes = 0
  /// A slice ended before the page did.
  var isInterrupted = false
  /// The first row that was not looked at; `nil`: none was.
  var resume: QueryPosition?
  /// Of a query that is sorted, the first records so far.
  var top: TopRecords?
  /// Of an access in an order over many zones, where each of them is.
  var merge: OrderedMerge?
}

/// Finds one page of a query, in slices: each may be on another snapshot.
final class QueryRun {
  /// What a run reads with.
  struct Source {
    let rows: QueryRows
    let ancestors: AncestorLog
    let codec: BodyCodec
    let limits: Limits
  }

  private let source: Source
  private let query: RecordQuery
  private let plan: QueryPlan
  private let repetitions: UnionRepetitions?
  private let zones: [QueryZone]
  private let start: QueryPosition?
  private let visibility: QueryVisibility
  private let limit: Int
  private let deliver: (UnsafeRawBufferPointer) throws -> Void

  private let isOver: () -> Bool
  /// Rows that a slice looks at in any case: with many zones its beginning takes long.
  private let rowsPerSliceMin: Int
  /// How far the page has come.
  private(set) var progress: QueryProgress
  /// Where the next page begins; `nil`: this was the last.
  private(set) var next: QueryPosition?

  /// A page of a query.
  ///
  /// - Parameters:
  ///   - source: What to read with.
  ///   - query: The query.
  ///   - plan: How it is answered, the same for all pages.
  ///   - indexes: Those of the record type that are ready.
  ///   - zones: In the order of their numbers.
  ///   - start: The first record that is not in an earlier page.
  ///   - visibility: Which records the caller may see.
  ///   - limit: Most records.
  ///   - progress: How far it came in earlier slices.
  ///   - isOver: Whether this slice is to end; some rows are looked at in any case.
  ///   - deliver: Takes an encoded record, valid for the call.
  init(
    _ source: Source,
    _ query: RecordQuery,
    _ plan: QueryPlan,
    indexes: [QueryPlanner.ReadyIndex],
    zones: [QueryZone],
    from start: QueryPosition?,
    _ visibility: QueryVisibility,
    limit: Int,
    progress: QueryProgress,
    until isOver: @escaping () -> Bool,
    _ deliver: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) {
    self.progress = progress
    self.isOver = isOver
    self.source = source
    self.query = query
    self.plan = plan
    repetitions = UnionRepetitions(of: plan.access, indexes)
    self.zones = zones
    rowsPerSliceMin = 1 + zones.count / 64
    self.start = start
    self.visibility = visibility
    self.limit = limit
    self.deliver = deliver
  }

  /// Delivers the page, or what of it there is time for.
  ///
  /// - Returns: Whether the page is done.
  /// - Throws: `ItemError` `limitExceeded` when too much would have to be sorted;
  ///   `changeTokenExpired` when nobody knows any more what a record was at the begin; `SQLError`.
  func callAsFunction() throws -> Bool {
    if case .sorted(let isPrefix) = plan.order {
      try sorted(isPrefix: isPrefix)
    } else {
      try inOrder()
    }
  }

  /// Visits rows until the slice is over.
  ///
  /// - Parameters:
  ///   - start: The first row, unless a slice before came to another one.
  ///   - body: Takes a row; answers whether to go on.
  /// - Returns: Whether all was visited.
  /// - Throws: `SQLError`; what `body` throws.
  private func visitSlice(
    from start: QueryPosition?,
    _ body: @escaping QueryRows.Visitor
  ) throws -> Bool {
    let first = progress.resume ?? start
    var merge = progress.merge
    (progress.isInterrupted, progress.resume, progress.merge) = (false, nil, nil)
    var rowCount = 0
    let pause = { [self] (position: QueryPosition?) in
      guard isOver() else { return false }
      (progress.isInterrupted, progress.resume) = (true, position)
      return true
    }
    try source.rows.visit(
      plan.access,
      of: query.recordType,
      in: zones,
      from: first,
      merging: &merge,
      pausing: pause
    ) { row in
      if rowCount >= rowsPerSliceMin, pause(row.position) { return false }
      rowCount += 1
      return try body(row)
    }
    if progress.isInterrupted { progress.merge = merge?.closed() }
    return !progress.isInterrupted
  }

  // MARK: In the order of the access

  private func inOrder() throws -> Bool {
    try visitSlice(from: start) { [self] row in
      guard progress.recordsMatched < limit,
        progress.rowsVisited < source.limits.queryRowsPerPageMax
      else {
        next = row.position
        progress.endedEarly = progress.recordsMatched < limit
        return false
      }
      progress.rowsVisited += 1
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
    progress.recordsRead += 1
    if plan.isExact, row.isCurrent, visibility == .all, repetitions == nil { return true }
    guard let current = try currentMatch(row) else { return false }
    guard let repetitions else { return true }
    // Where it was not there at the begin, another range may have led to what has its name.
    return try atBegin(row, current).map { !repetitions.contain($0, row) } ?? false
  }

  /// The record as it is now, if it matches.
  private func currentMatch(_ row: VisitedRow) throws -> Record? {
    let record = try decode(row)
    // What was deleted and created again may have another type.
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
      fits =
        progress.recordsMatched == 0
        || progress.bytes + body.count <= source.limits.answerBytesMax
      guard fits else { return }
      try deliver(body)
      progress.bytes += body.count
      progress.recordsMatched += 1
    }
    return fits
  }

  // MARK: Sorted

  private func sorted(isPrefix: Bool) throws -> Bool {
    let order = QueryOrder(query.sortKeys)
    let wasInterrupted = progress.isInterrupted
    var top = progress.top ?? TopRecords(order, capacity: limit + 1)
    progress.top = nil
    let isDone = try visitSlice(from: isPrefix ? firstKeyOfStart : nil) { [self] row in
      if isPrefix, let last = top.last, isBehind(row.key, last) { return false }
      progress.rowsVisited += 1
      guard progress.rowsVisited <= source.limits.querySortedRowsMax else { throw tooManyToSort }
      guard row.isRecord else { return true }
      progress.recordsRead += 1
      guard let current = try currentMatch(row), let then = try atBegin(row, current) else {
        return true
      }
      if let repetitions, repetitions.contain(then, row) { return true }
      let position = QueryPosition(
        keys: order.keys(of: then),
        zone: row.zone.number,
        name: row.name
      )
      if let start, order.precedes(position, start) { return true }
      top.offer(position)
      return true
    }
    guard isDone else {
      progress.top = top
      return false
    }
    try deliver(top.sorted(), areCurrent: !wasInterrupted)
    return true
  }

  /// Where the records begin that have the first key of the place to start at.
  private var firstKeyOfStart: QueryPosition? {
    guard let first = start?.keys.first, let zone = zones.first else { return nil }
    return QueryPosition(keys: [first], zone: zone.number, name: "")
  }

  private func isBehind(_ key: IndexKey, _ last: QueryPosition) -> Bool {
    QueryOrder.precedes(last.keys[0], key, isDescending: query.sortKeys[0].isDescending)
  }

  /// Delivers records; what comes behind the limit is where the next page begins.
  ///
  /// - Parameters:
  ///   - positions: The first records in order, one more than the limit if there are so many.
  ///   - areCurrent: They were found in this snapshot; if not, some may match no longer.
  /// - Throws: `SQLError`; what delivering throws.
  private func deliver(_ positions: [QueryPosition], areCurrent: Bool) throws {
    // Zones may have been deleted since an earlier slice.
    let found = positions.prefix(limit).compactMap { position in
      zones.zone(numbered: position.zone).map { (position: position, zone: $0) }
    }
    let wanted = found.map { WantedRecord(zone: $0.zone, name: $0.position.name) }
    let end = try source.rows.lookUp(wanted) { row in
      guard try areCurrent || (row.isRecord && currentMatch(row) != nil) else { return true }
      return try delivered(row)
    }
    next = end.map { found[$0].position } ?? positions.dropFirst(limit).first
  }

  /// The record as it was when the query began, by which it is sorted; `nil`: it was not there.
  private func atBegin(_ row: VisitedRow, _ current: Record) throws -> Record? {
    guard row.sequence > row.zone.head else { return current }
    var steps = AncestorLog.stepsMax
    let version = try source.ancestors.version(
      from: row.previous,
      replacedAt: row.sequence,
      asOf: row.zone.head,
      steps: &steps
    ).version
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
