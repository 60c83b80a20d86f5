internal import TidingsModel
internal import TidingsSQL

/// A record that an access came to, valid until the next one.
struct VisitedRow {
  /// Name, key, whether what led here is still true, sequence, previous, body, of several zones the zone's number.
  fileprivate let statement: any SQLStatement
  fileprivate let hasKey: Bool
  let zone: QueryZone
  /// Which of several ranges led here.
  var range: Int?

  /// The record's name.
  var name: String { statement.string(0) }
  /// The key of the entry that led here.
  var key: IndexKey { IndexKey(bytes: statement.bytes(1)) }
  /// What led here is true of the record as it is now, not only as it was at the begin.
  var isCurrent: Bool { statement.int64(2) != 0 }
  /// The zone's number at the record's last change.
  var sequence: Int64 { statement.int64(3) }
  /// The version before, if the record changed since the begin.
  var previous: Int64? {
    sequence <= zone.head || statement.isNull(4) ? nil : statement.int64(4)
  }
  /// A row that is a record at all, and not of another type.
  var isRecord: Bool { !statement.isNull(5) }

  /// Where the row stands in the order of the access.
  var position: QueryPosition {
    var keys = hasKey ? [key] : []
    if let range { keys.insert(IndexKey(range: range), at: 0) }
    return QueryPosition(keys: keys, zone: zone.number, name: name)
  }

  /// Lends the encoded record.
  func withBody(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try statement.withBytes(5, body)
  }
}

/// A record that an entry of an index or a sort leads to.
struct WantedRecord {
  let zone: QueryZone
  let name: String
  /// The key of the entry that leads to it; `nil`: none does.
  var key: IndexKey?
  /// What leads to it is true now, not only as of the query's begin.
  var isCurrent = false
}

/// Goes through the rows of an access, in its order, from any place on.
///
/// Entries are looked at as of the query's begin, so that the order does not change under it.
final class QueryRows {
  /// Takes a row; answers whether to go on.
  typealias Visitor = (VisitedRow) throws -> Bool
  /// Asked between looks at many zones, in which there may be nothing: whether the rest is for another slice, which
  /// begins there.
  typealias Pause = (QueryPosition?) -> Bool

  private let connection: any SQLConnection
  private let scan: any SQLStatement
  private let scanZones: any SQLStatement
  private let record: SimilarStatements
  private let forwards: any SQLStatement
  private let batches: EntryBatches
  private let probe: ZoneProbe
  private let interruption: Interruption

  init(_ connection: any SQLConnection, _ interruption: Interruption) throws {
    (self.connection, self.interruption) = (connection, interruption)
    // What other types' records hold is not read.
    scan = try connection.prepare(
      """
      SELECT name, x'', 1, sequence, CASE WHEN sequence > ?5 THEN previous END,
        CASE WHEN record_type = ?4 THEN body END
      FROM records WHERE zone_id = ?1 AND name >= ?2 AND name < ?3 ORDER BY name
      """,
      inPagesBy: PageKey(.text(2, column: 0), isInclusive: true)
    )
    scanZones = try connection.prepare(
      """
      SELECT name, x'', 1, sequence, previous, CASE WHEN record_type = ?4 THEN body END, zone_id
      FROM records WHERE (zone_id, name) >= (?1, ?2) AND zone_id <= ?3 ORDER BY zone_id, name
      """,
      inPagesBy: PageKey(.integer(1, column: 6), .text(2, column: 0), isInclusive: true)
    )
    record = try SimilarStatements(
      connection,
      """
      SELECT name, ?3, ?4, sequence, CASE WHEN sequence > ?5 THEN previous END, body
      FROM records WHERE zone_id = ?1 AND name = ?2
      """
    )
    forwards = try connection.prepare(
      """
      SELECT r.name, e.key, e.until IS NULL, r.sequence,
        CASE WHEN r.sequence > ?6 THEN r.previous END, r.body
      FROM index_entries e CROSS JOIN records r ON r.zone_id = e.zone_id AND r.name = e.name
      WHERE e.index_id = ?1 AND e.zone_id = ?2 AND (e.key, e.name) >= (?3, ?4) AND e.key < ?5
        AND e.since <= ?6 AND (e.until IS NULL OR e.until > ?6)
      ORDER BY e.key, e.name
      """,
      inPagesBy: PageKey(.bytes(3, column: 1), .text(4, column: 0), isInclusive: true)
    )
    batches = try EntryBatches(connection)
    probe = try ZoneProbe(connection)
  }

  // MARK: All accesses

  /// Visits the rows of an access.
  ///
  /// - Parameters:
  ///   - access: Which.
  ///   - recordType: The type that a scan looks for.
  ///   - zones: In the order of their numbers.
  ///   - start: The first row to visit, if it is still there; `nil`: all of them.
  ///   - merge: Of an order over many zones, where it is; `nil`: at `start`.
  ///   - pause: Asked between looks at many zones.
  ///   - body: Takes a row.
  /// - Throws: `SQLError`; what `body` throws.
  func visit(
    _ access: QueryAccess,
    of recordType: String,
    in zones: [QueryZone],
    from start: QueryPosition?,
    merging merge: inout OrderedMerge?,
    pausing pause: Pause,
    _ body: Visitor
  ) throws {
    switch access {
    case .scan("", QueryAccess.nameMax) where zones.count > 1:
      try scanAll(recordType, in: zones, from: start, pausing: pause, body)
    case .scan(let first, let end):
      let (from, to) = (first.amongNames, end.amongNames)
      try eachZone(zones, from: start, pausing: pause) {
        try probe.zones($0, havingNamesFrom: from, to: to)
      } visit: { zone, name in
        try scan(from: max(name ?? "", from), to: to, recordType, in: zone, body)
      }
    case .named(let names):
      try eachZone(zones, from: start, pausing: pause) {
        try self.zones($0, havingNames: names)
      } visit: { zone, first in
        let names = names.filter { $0.isPossibleName && $0 >= first ?? "" }
        return try lookUp(names.map { WantedRecord(zone: zone, name: $0) }, body) == nil
      }
    case .range(let index, let range):
      try eachZone(zones, from: start, pausing: pause) {
        try self.zones($0, having: [IndexedRange(index: index, range: range)])
      } visit: { zone, name in
        let key = name == nil ? nil : start?.keys.first
        return try entries(index, range, from: (key ?? range.lower, name ?? ""), in: zone, body)
      }
    case .keys(let keys):
      try eachZone(zones, from: start, pausing: pause) {
        try self.zones($0, having: access.entries ?? [])
      } visit: { zone, name in
        try merged(keys, from: name ?? "", in: zone, body)
      }
    case .ranges(let ranges):
      try eachZone(zones, from: start, pausing: pause) {
        try self.zones($0, having: ranges)
      } visit: { zone, name in
        try each(of: ranges, from: name == nil ? nil : start, in: zone, body)
      }
    case .ordered(let index, let range, let descending, let withAbsent):
      let visit = OrderedVisit(index: index, isDescending: descending, zones: zones, start: start)
      if start?.keys.first != .absent, merge?.range != .absent {
        guard try ordered(visit, range, &merge, pausing: pause, body) else { return }
      }
      if withAbsent { _ = try ordered(visit, .absent, &merge, pausing: pause, body) }
    }
  }

  /// Ranges of zones that are counted: of more, some from everywhere stand for all.
  private static let countedRangesMax = 256

  /// Counts rows of an access, up to a bound.
  func count(_ access: QueryAccess, in zones: [QueryZone], upTo limit: Int) throws -> Int {
    guard let ranges = access.entries else { return limit }
    let allCount = zones.count * ranges.count
    let sampleCount = min(allCount, Self.countedRangesMax)
    guard sampleCount > 0 else { return 0 }
    let sample = { (number: Int) -> (zone: QueryZone, entries: IndexedRange) in
      if sampleCount == allCount {
        return (zones[number / ranges.count], ranges[number % ranges.count])
      }
      let range =
        ranges.count > sampleCount
        ? number * ranges.count / sampleCount : number % ranges.count
      return (zones[number * zones.count / sampleCount], ranges[range])
    }
    var (count, countedCount, groupMax) = (0, 0, 1)
    while countedCount < sampleCount, count < limit {
      let group = (countedCount..<sampleCount).prefix(groupMax)
      count += try batches.count(group.map(sample), upTo: limit - count)
      countedCount = group.endIndex
      groupMax = min(2 * groupMax, SimilarStatements.countMax)
    }
    return min(limit, count * allCount / countedCount)
  }

  /// The first key of a range that has an entry, in any zone.
  func firstKey(_ index: Int64, _ range: KeyRange, in zone: QueryZone) throws -> IndexKey? {
    try interruption.step()
    return try batches.firstKey(index, range, in: zone)
  }

  /// Visits records, those that are there, in their order.
  ///
  /// - Parameters:
  ///   - wanted: Which.
  ///   - body: Takes a row.
  /// - Returns: The index of the record at which `body` answered that it does not go on; `nil`: there was none.
  /// - Throws: `SQLError`; what `body` throws.
  func lookUp(_ wanted: [WantedRecord], _ body: Visitor) throws -> Int? {
    for start in stride(from: 0, to: wanted.count, by: SimilarStatements.countMax) {
      let group = wanted[start...].prefix(SimilarStatements.countMax)
      let statements = try group.enumerated().map { try statement(for: $1, number: $0) }
      defer { for statement in statements { statement.reset() } }
      if statements.count > 1 { try connection.readAhead(statements) }
      for (number, (wanted, statement)) in zip(group, statements).enumerated() {
        let goesOn = try visitRows(of: statement, hasKey: wanted.key != nil, wanted.zone, body)
        guard goesOn else { return start + number }
      }
    }
    return nil
  }

  // MARK: One zone after the other

  /// Visits zones until one says no; the first with the name to start at.
  ///
  /// Of many zones, those are visited that have something.
  private func eachZone(
    _ zones: [QueryZone],
    from start: QueryPosition?,
    pausing pause: Pause,
    having filter: (ArraySlice<QueryZone>) throws -> [QueryZone],
    visit body: (QueryZone, _ name: String?) throws -> Bool
  ) throws {
    var largeLeft = ZoneChunks.perSlice(of: zones)
    for chunk in ZoneChunks(zones, from: start) {
      if largeLeft <= 0, pause(chunk.begin) { return }
      if chunk.isLarge { largeLeft -= 1 }
      try interruption.step()
      for zone in chunk.isFirst ? Array(chunk.zones) : try filter(chunk.zones) {
        try interruption.step()
        guard try body(zone, start?.zone == zone.number ? start?.name : nil) else { return }
      }
    }
  }

  /// The zones that have entries, ended ones too, in any of several ranges.
  func zones(
    _ zones: ArraySlice<QueryZone>,
    having entries: [IndexedRange]
  ) throws -> [QueryZone] {
    guard zones.count > ZoneChunks.unprobedMax else { return Array(zones) }
    let spans = entries.spans
    var found: Set<QueryZone> = []
    for entries in spans {
      for chunk in ZoneChunks(zones) {
        try interruption.step()
        let rest = found.isEmpty ? Array(chunk.zones) : chunk.zones.filter { !found.contains($0) }
        for (zone, _) in try probe.firstKeys(entries.index, entries.range, in: rest[...]) {
          found.insert(zone)
        }
      }
    }
    return zones.filter(found.contains)
  }

  /// The zones that have records, deleted ones too, with names from the first to the last of some.
  private func zones(
    _ zones: ArraySlice<QueryZone>,
    havingNames names: [String]
  ) throws -> [QueryZone] {
    let names = names.filter(\.isPossibleName)
    guard let first = names.min(), let last = names.max() else { return [] }
    return try probe.zones(zones, havingNamesFrom: first, to: last.following)
  }

  /// Scans all records: those of zones with consecutive numbers with one statement.
  private func scanAll(
    _ recordType: String,
    in zones: [QueryZone],
    from start: QueryPosition?,
    pausing pause: Pause,
    _ body: Visitor
  ) throws {
    var largeLeft = ZoneChunks.perSlice(of: zones)
    for chunk in ZoneChunks(zones, from: start) {
      if largeLeft <= 0, pause(chunk.begin) { return }
      if chunk.isLarge { largeLeft -= 1 }
      let filled =
        chunk.isFirst || chunk.zones.isConsecutive
        ? Array(chunk.zones)
        : try probe.zones(chunk.zones, havingNamesFrom: "", to: QueryAccess.nameMax)
      for run in filled.consecutiveRuns {
        guard let first = run.first, let last = run.last else { continue }
        try interruption.step()
        scanZones.bind(first.number, at: 1)
        scanZones.bind(start?.zone == first.number ? start?.name ?? "" : "", at: 2)
        scanZones.bind(last.number, at: 3)
        scanZones.bind(recordType, at: 4)
        defer { scanZones.reset() }
        var (rest, zone) = (run, first)
        while try scanZones.step() {
          try interruption.step()
          let number = scanZones.int64(6)
          while zone.number < number, let next = rest.popFirst() { zone = next }
          let row = VisitedRow(statement: scanZones, hasKey: false, zone: zone)
          guard try body(row) else { return }
        }
      }
    }
  }

  private func scan(
    from: String,
    to: String,
    _ recordType: String,
    in zone: QueryZone,
    _ body: Visitor
  ) throws -> Bool {
    scan.bind(zone.number, at: 1)
    scan.bind(from, at: 2)
    scan.bind(to, at: 3)
    scan.bind(recordType, at: 4)
    scan.bind(zone.head, at: 5)
    return try visitRows(of: scan, hasKey: false, zone, body)
  }

  private func entries(
    _ index: Int64,
    _ range: KeyRange,
    from location: (key: IndexKey, name: String),
    in zone: QueryZone,
    of several: Int? = nil,
    _ body: Visitor
  ) throws -> Bool {
    forwards.bind(index, at: 1)
    forwards.bind(zone.number, at: 2)
    forwards.bind(location.key.bytes, at: 3)
    forwards.bind(location.name, at: 4)
    forwards.bind(range.upper.bytes, at: 5)
    forwards.bind(zone.head, at: 6)
    return try visitRows(of: forwards, hasKey: true, zone, range: several, body)
  }

  /// The entries of one range after the other.
  private func each(
    of ranges: [IndexedRange],
    from start: QueryPosition?,
    in zone: QueryZone,
    _ body: Visitor
  ) throws -> Bool {
    let first = start?.keys.first?.range ?? 0
    for (number, entries) in ranges.enumerated().dropFirst(first) {
      var location = (key: entries.range.lower, name: "")
      if let start, number == first, start.keys.count > 1 { location = (start.keys[1], start.name) }
      let goesOn = try self.entries(
        entries.index,
        entries.range,
        from: location,
        in: zone,
        of: number,
        body
      )
      guard goesOn else { return false }
    }
    return true
  }

  private func visitRows(
    of statement: any SQLStatement,
    hasKey: Bool,
    _ zone: QueryZone,
    range: Int? = nil,
    _ body: Visitor
  ) throws -> Bool {
    defer { statement.reset() }
    try interruption.step()
    let row = VisitedRow(statement: statement, hasKey: hasKey, zone: zone, range: range)
    while try statement.step() {
      try interruption.step()
      guard try body(row) else { return false }
    }
    return true
  }

  private func statement(
    for wanted: WantedRecord,
    number: Int
  ) throws(SQLError) -> any SQLStatement {
    let statement = try record[number]
    statement.bind(wanted.zone.number, at: 1)
    statement.bind(wanted.name, at: 2)
    statement.bind(wanted.key?.bytes ?? [], at: 3)
    statement.bind(wanted.isCurrent ? 1 : 0, at: 4)
    statement.bind(wanted.zone.head, at: 5)
    return statement
  }

  // MARK: Merged

  /// The entries of several keys, by name, each name once.
  private func merged(
    _ keys: [IndexedKey],
    from name: String,
    in zone: QueryZone,
    _ body: Visitor
  ) throws -> Bool {
    var sources = try Heap(
      keys.compactMap { key in
        try NamedEntries(key.index, key.key, zone, from: name, batches)
      }
    )
    var countMax = 1
    while sources.first != nil {
      var wanted: [WantedRecord] = []
      while wanted.count < countMax, let name = sources.first?.name {
        var isCurrent = false
        while let source = sources.first, source.name == name {
          isCurrent = isCurrent || source.isCurrent
          sources.replaceFirst(with: try source.next(batches))
        }
        wanted.append(WantedRecord(zone: zone, name: name, isCurrent: isCurrent))
      }
      guard try lookUp(wanted, body) == nil else { return false }
      countMax = min(2 * countMax, SimilarStatements.countMax)
    }
    return true
  }

  /// The entries of a range in their order, over all zones.
  private func ordered(
    _ visit: OrderedVisit,
    _ range: KeyRange,
    _ kept: inout OrderedMerge?,
    pausing pause: Pause,
    _ body: Visitor
  ) throws -> Bool {
    // Rows of one zone that ascend come as they are stored.
    if visit.zones.count == 1,
      case .ascending(let key, let name) = visit.location(in: visit.zones[0], range)
    {
      return try entries(visit.index, range, from: (key, name), in: visit.zones[0], body)
    }
    var merge = OrderedMerge(range)
    if let kept, kept.range == range { merge = kept }
    kept = nil
    let areAllFound = try merge.begin(
      visit,
      batches,
      probe,
      interruption,
      chunks: ZoneChunks.perSlice(of: visit.zones)
    ) {
      pause(visit.start)
    }
    guard areAllFound else {
      kept = merge
      return false
    }
    while case let wanted = try merge.next(batches, visit), !wanted.isEmpty {
      if let visited = try lookUp(wanted, body) {
        merge.removeFirst(visited)
        kept = merge
        return false
      }
      merge.removeFirst(wanted.count)
    }
    return true
  }
}

extension IndexKey {
  /// The number of one of several ranges, as the first part of a position.
  fileprivate init(range: Int) { self.init(bytes: [UInt8(range >> 8), UInt8(range & 0xff)]) }

  fileprivate var range: Int? { bytes.count == 2 ? Int(bytes[0]) << 8 | Int(bytes[1]) : nil }
}
