internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// The user in records that stay after the user's own databases: those of public databases, and those in zones of
/// others.
extension UserEraser {
  private struct Hit {
    let number: Int64
    let zone: Int64
    let name: String
  }

  /// Goes through all records of the store, in the order of their numbers.
  func eraseRecords(
    _ erasure: inout UserErasure,
    at moment: Moment,
    _ budget: inout PieceBudget
  ) throws -> Outcome {
    let name = Array(erasure.user.utf8)
    var hit: Hit?
    let row = try sql(
      """
      SELECT id, zone_id, name, creator, body FROM records WHERE id > ?1 ORDER BY id
      LIMIT \(Self.recordsPerPage)
      """,
      .number(erasure.position)
    )
    defer { row.reset() }
    var count = 0
    while hit == nil, !budget.isSpent, try row.step() {
      count += 1
      erasure.position = row.int64(0)
      var isNamed = !row.isNull(3) && row.string(3) == erasure.user
      var bytes = 0
      if !isNamed, !row.isNull(4) {
        row.withBytes(4) { body in
          bytes = body.count
          isNamed = body.contains(name)
        }
      }
      budget.take(1 + bytes / 4_096)
      if isNamed { hit = Hit(number: row.int64(0), zone: row.int64(1), name: row.string(2)) }
    }
    row.reset()
    if let hit {
      try erase(hit, &erasure, at: moment)
      budget.take(20)
      return .again
    }
    return count == 0 && !budget.isSpent ? .done : .again
  }

  private func erase(_ hit: Hit, _ erasure: inout UserErasure, at moment: Moment) throws {
    guard let zone = try zone(hit.zone),
      let row = try tables.records.tables.records.row(hit.name, in: zone)
    else { return }
    if let old = try tables.records.decoded(row) {
      if zone.database.id.scope == .public, old.creator == erasure.user,
        erasure.publicRecords == .delete || old.isUserRecord
      {
        if try delete(hit.name, in: zone, at: moment) {
          erasure.counts.add(1, "public-records")
        } else {
          try rewrite(old, row, in: zone, &erasure)
          erasure.counts.add(1, "public-records-kept")
        }
      } else {
        try rewrite(old, row, in: zone, &erasure)
      }
    }
    try sql.run(
      "UPDATE records SET creator = ?3 WHERE id = ?1 AND creator = ?2",
      .number(hit.number),
      .text(erasure.user),
      .text(UserErasure.erasedName)
    )
  }

  private func zone(_ number: Int64) throws -> ZoneEntry? {
    let row = try sql("SELECT database_id, name FROM zones WHERE id = ?1", .number(number))
    var found: (database: Int64, name: String)?
    try row.forEachRow { found = (row.int64(0), row.string(1)) }
    guard let found else { return nil }
    let database = try tables.catalog.database(numbered: found.database)
    return try tables.catalog.zone(ZoneID(zoneName: found.name), in: database)
  }

  /// Deletes a record of a public database as its creator could: with a tombstone, and what refers to it.
  ///
  /// - Returns: Whether it is deleted; not if records of others must not lose it.
  private func delete(_ name: String, in zone: ZoneEntry, at moment: Moment) throws -> Bool {
    let caller = Caller(user: UserErasure.erasedName, device: "")
    var changes = RecordChanges(
      database: zone.database.id,
      saves: [],
      deletions: [RecordID(recordName: name, zoneID: zone.id)]
    )
    changes.erasesUser = true
    // One record: it is not worth a turn of its own.
    let pace = tables.records.pace
    let givesUp = pace.givesUpLongCalls
    pace.givesUpLongCalls = false
    defer { pace.givesUpLongCalls = givesUp }
    while true {
      do {
        let modified = try tables.firings.asOneCall(by: caller, at: moment) { call in
          try tables.records(changes, access: nil, in: call)
        }
        if case .deleted? = modified.outcomes.first { return true }
        return false
      } catch let pending as MatchingPending {
        _ = pending.memory.work { false }
        changes.memory = pending.memory
      }
    }
  }

  /// Takes the user's name out of a record that stays, without a change that feeds would report.
  private func rewrite(
    _ old: Record,
    _ row: RecordTable.Row,
    in zone: ZoneEntry,
    _ erasure: inout UserErasure
  ) throws {
    let new = old.withoutName(of: erasure.user)
    guard new != old, let number = row.number else { return }
    let body = codec.encode(new)
    try sql.run(
      "UPDATE records SET body = ?2 WHERE id = ?1",
      .number(number),
      .bytes(body)
    )
    let change = Int64(body.count - (row.body?.count ?? 0))
    try tables.usage.add(change, to: zone.database)
    zone.usage.bytes += change
    try sql.run(
      "UPDATE zones SET bytes = bytes + ?2 WHERE id = ?1",
      .number(zone.number),
      .number(change)
    )
    try rewriteIndexes(from: old, to: new, at: row.sequence, in: zone)
    for checksum in new.assetChecksums {
      try sql.run(
        """
        UPDATE asset_references SET creator = ?5
        WHERE database_id = ?1 AND checksum = ?2 AND zone_id = ?3 AND name = ?4 AND creator = ?6
        """,
        .number(zone.database.number),
        .bytes(checksum),
        .number(zone.number),
        .text(new.recordID.recordName),
        .text(UserErasure.erasedName),
        .text(erasure.user)
      )
    }
    erasure.counts.add(1, "names")
  }

  private func rewriteIndexes(
    from old: Record,
    to new: Record,
    at sequence: Int64,
    in zone: ZoneEntry
  ) throws {
    let name = new.recordID.recordName
    let location = IndexEntries.Location(zone: zone.number, name: name, sequence: sequence)
    for index in tables.indexes.indexes(of: new.recordType, in: zone.database.id)
    where index.covers(name, in: zone.number) {
      let (before, after) = (
        FieldIndex.keys(of: old, in: index), FieldIndex.keys(of: new, in: index)
      )
      guard before != after else { continue }
      for key in before { try tables.indexEntries.remove(key, of: location, from: index) }
      for key in after { try tables.indexEntries.add(key, of: location, to: index) }
    }
  }
}

extension Record {
  /// The record as if nobody with this name had created or changed it, or had its share.
  fileprivate func withoutName(of user: String) -> Record {
    let nobody = Caller(user: UserErasure.erasedName, device: "")
    var record = self
    if created?.caller.user == user { record.created?.caller = nobody }
    if modified?.caller.user == user { record.modified?.caller = nobody }
    record.share?.participants.removeAll { $0.user == user }
    record.share?.requesters.removeAll { $0.user == user }
    record.share?.blockedUsers.removeAll { $0 == user }
    return record
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes occur in these.
  fileprivate func contains(_ bytes: [UInt8]) -> Bool { SecretEraser.occurs(bytes, in: self) }
}
