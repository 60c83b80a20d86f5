internal import TidingsModel
internal import TidingsSQL

/// The newest mark of each device in each zone, with the zone's number that it came with.
final class ClientTokens {
  private let limits: Limits
  private let usage: UsageTable
  private let selectOne: any SQLStatement
  private let upsert: any SQLStatement
  private let selectOfZone: any SQLStatement
  private let selectOld: any SQLStatement
  private let deleteOne: any SQLStatement

  init(_ connection: any SQLConnection, limits: Limits, usage: UsageTable) throws {
    (self.limits, self.usage) = (limits, usage)
    selectOne = try connection.prepare(
      """
      SELECT length(token) FROM client_tokens WHERE zone_id = ?1 AND owner = ?2 AND device = ?3
      """
    )
    upsert = try connection.prepare(
      """
      INSERT INTO client_tokens (zone_id, owner, device, sequence, token, saved)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (zone_id, owner, device) DO UPDATE
      SET sequence = excluded.sequence, token = excluded.token, saved = excluded.saved
      """
    )
    selectOfZone = try connection.prepare(
      "SELECT zone_id, owner, device FROM client_tokens WHERE zone_id = ?1 LIMIT ?2"
    )
    selectOld = try connection.prepare(
      "SELECT zone_id, owner, device FROM client_tokens WHERE saved < ?1 LIMIT ?2"
    )
    deleteOne = try connection.prepare(
      """
      DELETE FROM client_tokens WHERE zone_id = ?1 AND owner = ?2 AND device = ?3
      RETURNING length(token)
      """
    )
  }

  /// Refuses a mark that cannot be kept.
  func check(_ token: [UInt8], of caller: Caller) throws(ItemError) {
    guard !token.isEmpty else { return }
    guard token.count <= limits.clientChangeTokenBytesMax else {
      throw ItemError(
        .limitExceeded,
        "client_change_token_data has \(token.count) bytes and may have "
          + "\(limits.clientChangeTokenBytesMax): send a shorter mark and keep the rest yourself"
      )
    }
    guard caller.device.isEmpty else { return }
    throw ItemError(
      .invalidArguments,
      "client_change_token_data belongs to a device, and the call names none: set the metadata "
        + "'tidings-device' (rpcctl --device NAME)"
    )
  }

  /// Keeps a device's mark in a zone that it changed.
  func keep(
    _ token: [UInt8],
    of caller: Caller,
    in zone: ZoneEntry,
    at time: SteadyTime
  )
    throws(SQLError)
  {
    let change = Int64(token.count) - (try bytes(of: caller, in: zone))
    let cost = StorageCost.trace(device: caller.device.utf8.count)
    try usage.add(change == Int64(token.count) ? change + cost : change, to: caller.user)
    upsert.bind(zone.number, at: 1)
    upsert.bind(caller.user, at: 2)
    upsert.bind(caller.device, at: 3)
    upsert.bind(zone.head, at: 4)
    upsert.bind(token, at: 5)
    upsert.bind(time.milliseconds, at: 6)
    try upsert.run()
  }

  /// Bytes of the mark of a device in a zone; 0: there is none.
  private func bytes(of caller: Caller, in zone: ZoneEntry) throws(SQLError) -> Int64 {
    selectOne.bind(zone.number, at: 1)
    selectOne.bind(caller.user, at: 2)
    selectOne.bind(caller.device, at: 3)
    defer { selectOne.reset() }
    return try selectOne.step() ? selectOne.int64(0) : 0
  }
}

extension ClientTokens: RecordFollower {
  func follow(_ write: RecordPlan.Write, in database: DatabaseEntry, of call: CallContext) {}

  func removeRows(of zone: DeletedZone, limit: Int, at time: SteadyTime) throws -> Int {
    selectOfZone.bind(zone.number, at: 1)
    selectOfZone.bind(Int64(limit), at: 2)
    return try remove(selectOfZone)
  }
}

extension ClientTokens: MaintenanceTask {
  private static let pause = Duration.seconds(600)
  private static let rowsPerPiece: Int64 = 500

  /// Forgets the marks that came before the oldest tombstones.
  func work(at moment: Moment) throws -> Duration {
    let oldest = moment.steady.earlier(byHours: limits.tombstoneRetentionDays * 24)
    selectOld.bind(oldest.milliseconds, at: 1)
    selectOld.bind(Self.rowsPerPiece, at: 2)
    return try remove(selectOld) == Self.rowsPerPiece ? .zero : Self.pause
  }

  /// Removes the marks that a statement finds.
  ///
  /// - Returns: How many.
  private func remove(_ rows: any SQLStatement) throws -> Int {
    var tokens: [(zone: Int64, owner: String, device: String)] = []
    try rows.forEachRow { tokens.append((rows.int64(0), rows.string(1), rows.string(2))) }
    for token in tokens {
      deleteOne.bind(token.zone, at: 1)
      deleteOne.bind(token.owner, at: 2)
      deleteOne.bind(token.device, at: 3)
      try deleteOne.forEachRow {
        let content = Int(deleteOne.int64(0))
        let cost = StorageCost.trace(device: token.device.utf8.count, content: content)
        try usage.add(-cost, to: token.owner)
      }
    }
    return tokens.count
  }
}
