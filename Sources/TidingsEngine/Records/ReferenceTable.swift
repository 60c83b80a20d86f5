internal import TidingsModel
internal import TidingsSQL

/// Which records refer to which, for the references that bind.
final class ReferenceTable {
  private let limits: Limits
  private let pace: Pace
  private let selectAny: any SQLStatement
  private let selectOwned: any SQLStatement
  private let selectHolders: any SQLStatement
  private let insert: any SQLStatement
  private let delete: any SQLStatement
  private let selectSome: any SQLStatement

  init(_ connection: any SQLConnection, limits: Limits, pace: Pace) throws {
    (self.limits, self.pace) = (limits, pace)
    selectAny = try connection.prepare(
      "SELECT 1 FROM record_references WHERE zone_id = ?1 AND target = ?2 LIMIT 1"
    )
    selectOwned = try connection.prepare(
      """
      SELECT source FROM record_references WHERE zone_id = ?1 AND target = ?2 AND kind = 1
      ORDER BY source
      """
    )
    selectHolders = try connection.prepare(
      """
      SELECT kind, source FROM record_references
      WHERE zone_id = ?1 AND target = ?2 AND (kind, source) > (?3, ?4) ORDER BY kind, source
      """,
      inPagesBy: PageKey(.integer(3, column: 0), .text(4, column: 1))
    )
    insert = try connection.prepare(
      "INSERT INTO record_references (zone_id, target, kind, source) VALUES (?1, ?2, ?3, ?4)"
    )
    delete = try connection.prepare(
      """
      DELETE FROM record_references
      WHERE zone_id = ?1 AND target = ?2 AND kind = ?3 AND source = ?4
      """
    )
    selectSome = try connection.prepare(
      "SELECT target, kind, source FROM record_references WHERE zone_id = ?1 LIMIT ?2"
    )
  }

  /// Something refers to a record.
  func isTarget(_ recordName: String, in zone: ZoneEntry) throws(SQLError) -> Bool {
    bind(recordName, zone, to: selectAny)
    defer { selectAny.reset() }
    return try selectAny.step()
  }

  /// The records that refer to one with delete-self, sorted.
  func owned(by target: String, in zone: ZoneEntry) throws -> [String] {
    var names: [String] = []
    bind(target, zone, to: selectOwned)
    try selectOwned.forEachRow { names.append(selectOwned.string(0)) }
    return names
  }

  /// The first record that refers to one otherwise and is looked for: there may be very many.
  func holder(
    of target: String,
    in zone: ZoneEntry,
    where isWanted: (ReferenceSource) -> Bool
  ) throws(SQLError) -> ReferenceSource? {
    bind(target, zone, to: selectHolders)
    // Behind those with delete-self, whose kind is 1.
    selectHolders.bind(2, at: 3)
    selectHolders.bind("", at: 4)
    defer { selectHolders.reset() }
    while try selectHolders.step() {
      guard let kind = BindingReference.Kind(rawValue: selectHolders.int64(0)) else {
        throw SQLError(.damaged, "a stored reference has no known kind")
      }
      let source = ReferenceSource(kind: kind, name: selectHolders.string(1))
      if isWanted(source) { return source }
    }
    return nil
  }

  private func bind(_ target: String, _ zone: ZoneEntry, to statement: any SQLStatement) {
    statement.bind(zone.number, at: 1)
    statement.bind(target, at: 2)
  }

  private func run(
    _ statement: any SQLStatement,
    _ reference: BindingReference,
    of source: String,
    in zone: ZoneEntry
  ) throws(SQLError) {
    try run(statement, reference.target, reference.kind.rawValue, source, zone.number)
  }

  private func run(
    _ statement: any SQLStatement,
    _ target: String,
    _ kind: Int64,
    _ source: String,
    _ zone: Int64
  ) throws(SQLError) {
    statement.bind(zone, at: 1)
    statement.bind(target, at: 2)
    statement.bind(kind, at: 3)
    statement.bind(source, at: 4)
    try statement.run()
  }
}

extension ReferenceTable: RecordFollower {
  func check(
    _ new: Record,
    replacing old: Record?,
    in zone: ZoneEntry,
    of database: DatabaseEntry
  ) throws {
    let count = new.bindingReferences.count
    guard count > limits.bindingReferencesPerRecordMax else { return }
    throw ItemError(
      .limitExceeded,
      "record '\(new.recordID.recordName)' has \(count) references with the action DELETE_SELF or "
        + "VALIDATE and may have \(limits.bindingReferencesPerRecordMax): let the other records "
        + "refer to this one instead, or use the action NONE"
    )
  }

  func follow(_ write: RecordPlan.Write, in database: DatabaseEntry, of call: CallContext) throws {
    let old = write.old?.bindingReferences ?? []
    let new = write.new?.bindingReferences ?? []
    guard old != new else { return }
    let (before, after) = (Set(old), Set(new))
    for reference in old where !after.contains(reference) {
      try run(delete, reference, of: write.name, in: write.zone)
      pace.step()
    }
    for reference in new
    where !before.contains(reference) && !write.looseReferences.contains(reference) {
      try run(insert, reference, of: write.name, in: write.zone)
      pace.step()
    }
  }

  func rowCount(following write: RecordPlan.Write, in database: DatabaseEntry) -> Int {
    (write.old?.bindingReferences.count ?? 0) + (write.new?.bindingReferences.count ?? 0)
  }

  func removeRows(of zone: DeletedZone, limit: Int, at time: SteadyTime) throws -> Int {
    var rows: [(target: String, kind: Int64, source: String)] = []
    selectSome.bind(zone.number, at: 1)
    selectSome.bind(Int64(limit), at: 2)
    try selectSome.forEachRow {
      rows.append((selectSome.string(0), selectSome.int64(1), selectSome.string(2)))
    }
    for row in rows { try run(delete, row.target, row.kind, row.source, zone.number) }
    return rows.count
  }
}
