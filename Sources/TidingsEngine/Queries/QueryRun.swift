internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// Finds one page of a query, in slices: each may be on another snapshot.
final class QueryRun {
  /// What a run reads with.
  struct Source {
    let rows: QueryRows
    let ancestors: AncestorLog
    let codec: BodyCodec
    let limits: Limits
  }

  /// A record that is just evaluated at once takes as long as so many rows.
  private static let rowsPerRecordMax = 32

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
  private let effort: QueryEffort
  private let bytesAtOnceMax: Int
  /// Rows that this slice looks at in any case: with many zones its beginning takes long.
  private var rowsLeft: Int
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
  ///   - effort: What begins.
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
    _ effort: QueryEffort,
    _ deliver: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) {
    self.progress = progress
    (self.isOver, self.effort) = (isOver, effort)
    bytesAtOnceMax = query.predicate.bytesAtOnceMax
    self.source = source
    self.query = query
    self.plan = plan
    repetitions = UnionRepetitions(of: plan.access, indexes)
    self.zones = zones
    rowsLeft = 1 + zones.count / 64
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
    let pause = { [self] (position: QueryPosition?) in
      guard isOver() else { return false }
      interrupt(at: position)
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
      if rowsLeft <= 0, pause(row.position) { return false }
      rowsLeft -= 1
      return try body(row)
    }
    if progress.isInterrupted { progress.merge = merge?.closed() }
    return !progress.isInterrupted
  }

  private func interrupt(at position: QueryPosition?) {
    (progress.isInterrupted, progress.resume) = (true, position)
  }

  /// The slice ends at a row that it began to look at.
  private func giveUp(_ row: VisitedRow) {
    interrupt(at: row.position)
    progress.rowsVisited -= 1
    progress.recordsRead -= 1
  }

  // MARK: Whether a record matches

  /// What is known of a row.
  private enum Match {
    /// With the record as it is now.
    case matching(Record)
    case other
    /// Nothing: finding it out takes another slice.
    case open
  }

  /// Whether a row's record matches as it is now.
  private func currentMatch(_ row: VisitedRow) throws -> Match {
    var found: Match?
    try row.withBody { found = try match(row, $0) }
    guard let found else { throw SQLError(.damaged, "a record without a body") }
    guard case .matching(let record) = found else { return found }
    return try visibility.shows(record) ? found : .other
  }

  private func match(_ row: VisitedRow, _ body: UnsafeRawBufferPointer) throws -> Match {
    let isExpensive = body.count > bytesAtOnceMax
    if isExpensive, effort != .any { return .open }
    rowsLeft -= body.count * Self.rowsPerRecordMax / bytesAtOnceMax
    let record = try source.codec.decodeRecord(body)
    // What was deleted and created again may have another type.
    guard record.recordType == query.recordType else { return .other }
    guard isExpensive else { return query.predicate.matches(record) ? .matching(record) : .other }
    return evaluate(row, record).map { $0 ? .matching(record) : .other } ?? .open
  }

  /// Evaluates the predicate until the slice is over; `nil`: another slice goes on.
  private func evaluate(_ row: VisitedRow, _ record: Record) -> Bool? {
    var open =
      progress.openRow.flatMap { $0.isSame(as: row) ? $0 : nil }
      ?? OpenRow(
        zone: row.zone.number,
        name: row.name,
        sequence: row.sequence,
        evaluation: ResumableEvaluation(of: query.predicate)
      )
    let answer = open.evaluation.matches(record, largeBytesMin: bytesAtOnceMax, until: isOver)
    progress.openRow = answer == nil ? open : nil
    return answer
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
      guard row.isRecord else { return true }
      guard let isMatching = try matches(row) else {
        giveUp(row)
        return false
      }
      guard isMatching else { return true }
      guard try delivered(row) else {
        next = row.position
        return false
      }
      return true
    }
  }

  /// Whether a row is in the page; `nil`: finding that out takes another slice.
  private func matches(_ row: VisitedRow) throws -> Bool? {
    progress.recordsRead += 1
    if plan.isExact, row.isCurrent, visibility == .all, repetitions == nil { return true }
    switch try currentMatch(row) {
    case .open: return nil
    case .other: return false
    case .matching(let current):
      guard let repetitions else { return true }
      // Where it was not there at the begin, another range may have led to what has its name.
      return try atBegin(row, current).map { !repetitions.contain($0, row) } ?? false
    }
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
    if let page = progress.sorted { return try deliver(page, areCurrent: false) }
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
      let current: Record
      switch try currentMatch(row) {
      case .matching(let record): current = record
      case .other: return true
      case .open:
        giveUp(row)
        return false
      }
      guard let then = try atBegin(row, current) else { return true }
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
    return try deliver(SortedPage(positions: top.sorted()), areCurrent: !wasInterrupted)
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
  ///   - page: The records.
  ///   - areCurrent: They were found in this snapshot; if not, some may match no longer.
  /// - Returns: Whether the page is done.
  /// - Throws: `SQLError`; what delivering throws.
  private func deliver(_ page: SortedPage, areCurrent: Bool) throws -> Bool {
    let positions = page.positions.prefix(limit)
    // Zones may have been deleted since an earlier slice.
    let found = positions.indices.dropFirst(page.doneCount).compactMap { index in
      zones.zone(numbered: positions[index].zone).map { (index: index, zone: $0) }
    }
    let wanted = found.map { WantedRecord(zone: $0.zone, name: positions[$0.index].name) }
    var isFirst = true
    var isInterrupted = false
    let end = try source.rows.lookUp(wanted) { [self] row in
      if !areCurrent {
        guard isFirst || !isOver() else {
          isInterrupted = true
          return false
        }
        isFirst = false
        guard row.isRecord else { return true }
        switch try currentMatch(row) {
        case .matching: break
        case .other: return true
        case .open:
          isInterrupted = true
          return false
        }
      }
      return try delivered(row)
    }
    let doneCount = end.map { found[$0].index }
    if isInterrupted, let doneCount {
      progress.sorted = SortedPage(positions: page.positions, doneCount: doneCount)
      return false
    }
    next = doneCount.map { positions[$0] } ?? page.positions.dropFirst(limit).first
    return true
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
