internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// Answers queries on a reader's connection.
final class QueryEngine {
  private let source: QueryRun.Source
  private let catalog: Catalog
  private let shares: ShareReader
  private let identity: StoreIdentity
  private let limits: Limits
  private let quick: QuickQueries
  private let selectIndexes: any SQLStatement
  private let selectKind: any SQLStatement
  private let selectTexts: any SQLStatement

  init(
    _ connection: any SQLConnection,
    catalog: Catalog,
    shares: ShareReader,
    identity: StoreIdentity,
    ancestors: AncestorLog,
    codec: BodyCodec,
    limits: Limits,
    interruption: Interruption
  ) throws {
    source = QueryRun.Source(
      rows: try QueryRows(connection, interruption),
      ancestors: ancestors,
      codec: codec,
      limits: limits
    )
    quick = QuickQueries(source.rows)
    self.catalog = catalog
    self.shares = shares
    self.identity = identity
    self.limits = limits
    selectIndexes = try connection.prepare(
      """
      SELECT id, field, kind, state FROM field_indexes
      WHERE container = ?1 AND environment = ?2 AND record_type = ?3 AND state < 3 ORDER BY id
      """
    )
    selectKind = try connection.prepare(
      """
      SELECT kind, flags FROM field_types
      WHERE container = ?1 AND environment = ?2 AND record_type = ?3 AND field = ?4
      """
    )
    selectTexts = try connection.prepare(
      """
      SELECT field, flags FROM field_types
      WHERE container = ?1 AND environment = ?2 AND record_type = ?3 AND kind = 'STRING'
      """
    )
  }

  /// Works on a page for a slice.
  ///
  /// - Parameters:
  ///   - page: The page, which is changed.
  ///   - user: Who asks.
  ///   - schema: What the user sees of a database's schema.
  ///   - reading: Which records of a database the user may read; `nil`: all.
  ///   - now: The time.
  ///   - isOver: Whether the slice is to end.
  ///   - effort: What begins.
  ///   - deliver: Takes an encoded record, valid for the call.
  /// - Returns: The next page's cursor, and how this one was answered; `nil`: the page goes on.
  /// - Throws: `ItemError`, `SQLError`.
  func advance(
    _ page: inout QueryPage,
    for user: String,
    schema: (DatabaseID) throws -> VisibleSchema,
    reading: (DatabaseID) throws -> PublicReading?,
    at now: SteadyTime,
    until isOver: @escaping () -> Bool,
    effort: QueryEffort,
    _ deliver: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws -> QueryAnswer? {
    let isBrief = effort == .brief
    if isBrief, try !quick.mayPlan(page, catalog) { return nil }
    let slice: Slice
    if let started = page.started {
      slice = try following(started.cursor, user, reading, now, &page)
    } else {
      switch page.request {
      case .query(let query):
        slice = try first(query, user, schema, reading, now, &page)
        // What the open transaction changes may be rolled back.
        if !isBrief { page.started?.zones = try known(slice.zones, of: query) }
      case .cursor(let bytes):
        let cursor = try QueryCursor(bytes, of: user, identity: identity)
        page.started = QueryPage.Started(cursor: cursor, start: cursor.next)
        slice = try following(cursor, user, reading, now, &page)
      }
    }
    if isBrief, try !quick.mayRun(slice.cursor.plan, in: slice.zones) { return nil }
    return try run(slice, &page, user, until: isOver, effort, deliver)
  }

  // MARK: Pages

  /// What a slice of a page works on.
  private struct Slice {
    let cursor: QueryCursor
    let indexes: [QueryPlanner.ReadyIndex]
    let zones: [QueryZone]
    let visibility: QueryVisibility
  }

  private func first(
    _ query: RecordQuery,
    _ user: String,
    _ schema: (DatabaseID) throws -> VisibleSchema,
    _ reading: (DatabaseID) throws -> PublicReading?,
    _ now: SteadyTime,
    _ page: inout QueryPage
  ) throws -> Slice {
    try query.validate()
    let shared = try sharedRecords(of: query)
    let zones = try self.zones(of: query, shared)
    let visibility = try visibility(of: query, shared, reading)
    let mismatches = SchemaMismatches(
      of: query.recordType,
      query.predicate,
      fields: query.sortKeys.map(\.field),
      query.database.environment,
      in: try schema(query.database)
    )
    page.mismatches = mismatches
    if query.database.environment == .production,
      let refusal = mismatches.refusal(of: "the query")
    {
      throw refusal
    }
    // What a caller does not see is not reported either.
    if !mismatches.isTypeUnknown {
      try checkFields(of: query)
      try checkSortKeys(of: query)
    }
    let indexes = try self.indexes(of: query)
    var failure: SQLError?
    // A field without a kind has none for the planner; a store that cannot be read is another matter.
    let kind = { (field: String) -> FieldValue.Kind? in
      do {
        return try self.kind(of: field, query)
      } catch {
        failure = failure ?? error as? SQLError
        return nil
      }
    }
    let planner = QueryPlanner(
      query: query,
      indexes: indexes.ready,
      kind: kind,
      textFields: { try self.textFields(of: query) },
      probe: { try self.source.rows.count($0, in: zones, upTo: $1) },
      spellings: SpellingSearch(source.rows, in: zones).keys
    )
    let cursor = QueryCursor(
      query: query,
      plan: try planner.plan(),
      began: now,
      zones: zones.map { QueryCursor.Begin(zone: $0.number, head: $0.head) },
      next: QueryPosition(keys: [], zone: 0, name: "")
    )
    // An index of what does not exist would not help.
    if mismatches.messages.isEmpty {
      page.advice = QueryAdvice.advice(
        for: query,
        cursor.plan,
        building: indexes.building,
        .init(
          ready: indexes.ready,
          texts: cursor.plan.access.entries == nil ? try textFields(of: query) : [],
          kind: kind
        )
      )
    }
    if let failure { throw failure }
    page.started = QueryPage.Started(cursor: cursor, start: nil)
    return Slice(
      cursor: cursor,
      indexes: indexes.ready,
      zones: zones,
      visibility: visibility
    )
  }

  private func following(
    _ cursor: QueryCursor,
    _ user: String,
    _ reading: (DatabaseID) throws -> PublicReading?,
    _ now: SteadyTime,
    _ page: inout QueryPage
  ) throws -> Slice {
    try checkAge(of: cursor, at: now)
    let shared = try sharedRecords(of: cursor.query)
    let visibility = try visibility(of: cursor.query, shared, reading)
    let zones = try zones(of: cursor, shared, &page)
    let indexes = try indexes(of: cursor.query).ready
    guard cursor.plan.access.indexes.isSubset(of: indexes.map(\.number)) else {
      throw ItemError(
        .changeTokenExpired,
        "the index that served the query was dropped: run the query again"
      )
    }
    return Slice(
      cursor: cursor,
      indexes: indexes,
      zones: zones,
      visibility: visibility
    )
  }

  private func run(
    _ slice: Slice,
    _ page: inout QueryPage,
    _ user: String,
    until isOver: @escaping () -> Bool,
    _ effort: QueryEffort,
    _ deliver: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws -> QueryAnswer? {
    let limit = page.limit == 0 ? limits.pageItemsMax : min(page.limit, limits.pageItemsMax)
    let cursor = slice.cursor
    let owner = source.codec.ownerBytes(ofZone: cursor.query.zoneID)
    // A closure that may not escape would need `withoutActuallyEscaping`, which compiles the length of this file's path on the
    // machine that builds it into the program: packages would differ.
    let deliver =
      owner.isEmpty ? deliver : { try (Array($0) + owner).withUnsafeBytes { try deliver($0) } }
    let run = QueryRun(
      source,
      cursor.query,
      cursor.plan,
      indexes: slice.indexes,
      zones: slice.zones,
      from: page.started?.start,
      slice.visibility,
      limit: limit,
      progress: page.progress,
      until: isOver,
      effort,
      deliver
    )
    page.progress = QueryProgress()
    let isDone = try run()
    page.progress = run.progress
    guard isDone else { return nil }
    var answer = QueryAnswer()
    answer.report = report(run, cursor.query, cursor.plan)
    answer.report.advice = page.advice
    answer.report.warnings = page.warnings(after: run.progress)
    if slice.visibility != .all {
      answer.report.hideOthers(cursor.query.recordType, slice.visibility)
    }
    if let next = run.next {
      var continued = cursor
      continued.next = next
      answer.cursor = continued.encoded(for: user, identity: identity)
    }
    return answer
  }

  // MARK: What the store says

  /// The zones in the order of their numbers, with those of their last changes.
  private func zones(
    of query: RecordQuery,
    _ shared: SharedRecords?
  ) throws -> [QueryZone] {
    if let shared { return [QueryZone(number: shared.zone.number, head: shared.zone.head)] }
    let database = try catalog.database(query.database)
    guard let zoneID = query.zoneID else {
      guard let database else { return [] }
      return try catalog.heads(in: database).map { QueryZone(number: $0.zone, head: $0.head) }
        .sorted { $0.number < $1.number }
    }
    if let zone = try database.flatMap({ try catalog.zone(zoneID, in: $0) }) {
      return [QueryZone(number: zone.number, head: zone.head)]
    }
    guard zoneID == .default else {
      throw ItemError(.zoneNotFound, "zone '\(zoneID.zoneName)' does not exist")
    }
    return []
  }

  /// Those of a cursor's zones that still exist.
  private func zones(
    of cursor: QueryCursor,
    _ shared: SharedRecords?,
    _ page: inout QueryPage
  ) throws -> [QueryZone] {
    if let known = page.started?.zones,
      let database = try catalog.database(cursor.query.database),
      known.database == database.number, known.head == database.head
    {
      return known.zones
    }
    let existing = try zones(of: cursor.query, shared)
    let zones = cursor.zones.filter { existing.zone(numbered: $0.zone) != nil }
      .map { QueryZone(number: $0.zone, head: $0.head) }
    page.started?.zones = try known(zones, of: cursor.query)
    return zones
  }

  /// The zones of a query of a whole database, to be known in the next slice.
  private func known(_ zones: [QueryZone], of query: RecordQuery) throws -> QueryZones? {
    guard query.zoneID == nil, let database = try catalog.database(query.database) else {
      return nil
    }
    return QueryZones(database: database.number, head: database.head, zones: zones)
  }

  private func bind(_ query: RecordQuery, to statement: any SQLStatement) {
    statement.bind(query.database.container, at: 1)
    statement.bind(Int64(query.database.environment.rawValue), at: 2)
    statement.bind(query.recordType, at: 3)
  }

  private func indexes(
    of query: RecordQuery
  ) throws -> (ready: [QueryPlanner.ReadyIndex], building: [String]) {
    var ready: [QueryPlanner.ReadyIndex] = []
    var building: [String] = []
    bind(query, to: selectIndexes)
    try selectIndexes.forEachRow {
      let field = selectIndexes.string(1)
      guard let kind = IndexKind(rawValue: selectIndexes.int64(2)) else { return }
      if selectIndexes.int64(3) == IndexState.ready.rawValue {
        ready.append(.init(number: selectIndexes.int64(0), field: field, kind: kind))
      } else {
        building.append(field)
      }
    }
    return (ready, building)
  }

  private func kind(of field: String, _ query: RecordQuery) throws -> FieldValue.Kind? {
    if let system = SystemField(name: field) { return system.kind }
    bind(query, to: selectKind)
    selectKind.bind(field, at: 4)
    defer { selectKind.reset() }
    guard try selectKind.step(), let kind = FieldValue.Kind(rawValue: selectKind.string(0)) else {
      return nil
    }
    let isEncrypted = selectKind.int64(1) & SchemaRows.Flag.encrypted != 0
    // No value of a list of encrypted ones was ever saved.
    return isEncrypted ? kind.encrypted : kind
  }

  /// The fields of the record type that are texts, and not encrypted.
  private func textFields(of query: RecordQuery) throws -> [String] {
    var fields: [String] = []
    bind(query, to: selectTexts)
    try selectTexts.forEachRow {
      if selectTexts.int64(1) & SchemaRows.Flag.encrypted == 0 {
        fields.append(selectTexts.string(0))
      }
    }
    return fields
  }

  // MARK: Refusals

  /// What a query of a shared database may find; `nil`: it is one of another.
  private func sharedRecords(of query: RecordQuery) throws -> SharedRecords? {
    guard query.database.scope == .shared else { return nil }
    guard let zone = query.zoneID else {
      throw ItemError(
        .invalidArguments,
        "a query of the shared database names a zone and its owner (zone_id): see the zones in "
          + "FetchRecordZones"
      )
    }
    return SharedRecords(try shares.acceptedZone(zone, in: query.database, catalog), shares)
  }

  private func visibility(
    of query: RecordQuery,
    _ shared: SharedRecords?,
    _ reading: (DatabaseID) throws -> PublicReading?
  ) throws -> QueryVisibility {
    if let shared { return .shared(shared) }
    guard let reading = try reading(query.database) else { return .all }
    switch try reading.check(query.recordType, "the query cannot be answered") {
    case .own: return .createdBy(reading.user)
    case .all, .none: return .all
    }
  }

  /// What the server cannot read, it cannot look for.
  private func checkFields(of query: RecordQuery) throws {
    let fields = query.predicate.fields.union(query.sortKeys.map(\.field))
    for field in fields.sorted() where try kind(of: field, query)?.isEncrypted ?? false {
      throw ItemError.encrypted(field, of: query.recordType, "a query can neither find nor sort by")
    }
  }

  private func checkSortKeys(of query: RecordQuery) throws {
    for key in query.sortKeys {
      guard let kind = try kind(of: key.field, query) else { continue }
      let isGeographic = kind == .location
      if key.relativeLocation != nil, !isGeographic {
        throw unsortable(key, "is \(kind.rawValue), and only a LOCATION has a distance")
      }
      guard isGeographic ? key.relativeLocation == nil : !kind.isSortable else { continue }
      throw unsortable(
        key,
        isGeographic
          ? "is a LOCATION: name a relative location to sort by distance"
          : "is \(kind.rawValue), which has no order: sort by another field"
      )
    }
  }

  private func unsortable(_ key: RecordQuery.SortKey, _ why: String) -> ItemError {
    ItemError(.invalidArguments, "the query cannot be sorted by '\(key.field)': it \(why)")
  }

  private func checkAge(of cursor: QueryCursor, at now: SteadyTime) throws(ItemError) {
    // After a loss of power the time may go on from a little earlier.
    let latest = now.advanced(by: StoreTime.saveInterval * 2)
    guard cursor.began >= now.earlier(byMinutes: limits.cursorRetentionMinutes),
      cursor.began <= latest
    else {
      throw ItemError(
        .changeTokenExpired,
        "the cursor is older than \(limits.cursorRetentionMinutes) minutes: run the query again"
      )
    }
  }

  // MARK: Explaining

  private func report(_ run: QueryRun, _ query: RecordQuery, _ plan: QueryPlan) -> QueryReport {
    let end =
      "the page ended after \(run.progress.rowsVisited) rows; the query continues with its cursor"
    return QueryReport(
      steps: plan.steps(for: query) + (run.progress.endedEarly ? [end] : []),
      predicate: query.predicate.text,
      indexField: plan.indexField,
      isSortedByIndex: plan.order == .access,
      entriesVisited: plan.access.entries == nil ? 0 : run.progress.rowsVisited,
      recordsVisited: run.progress.recordsRead,
      recordsMatched: run.progress.recordsMatched
    )
  }
}

extension FieldValue.Kind {
  /// Whether there is an order of the values.
  fileprivate var isSortable: Bool {
    switch self {
    case .string, .int64, .double, .bytes, .timestamp, .reference: true
    default: false
    }
  }
}

extension QueryPage {
  /// What the query asks for in vain; a type with records is there, though the caller does not see it in
  /// the schema: others' saves brought it.
  fileprivate func warnings(after progress: QueryProgress) -> [String] {
    guard let mismatches, !mismatches.isTypeUnknown || progress.recordsMatched == 0 else {
      return []
    }
    return mismatches.messages
  }
}
