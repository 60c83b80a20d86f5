internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// The user's values and name in the notification log.
extension UserEraser {
  /// Removes values that several notifications share: of the user's databases, and of changes that the user
  /// made or that the erasure makes.
  func eraseContents(_ erasure: inout UserErasure, _ budget: inout PieceBudget) throws -> Outcome {
    var found: (number: Int64, last: Int64, database: Int64, bytes: Int64, goes: Bool)?
    let row = try sql(
      """
      SELECT c.id, c.last_event, c.database_id, length(c.body), d.owner = ?2 OR EXISTS (
        SELECT 1 FROM events e WHERE e.id = c.id AND e.origin_user IN (?2, ?3)
      )
      FROM event_contents c JOIN databases d ON d.id = c.database_id
      WHERE c.id > ?1 ORDER BY c.id LIMIT 1
      """,
      .number(erasure.position),
      .text(erasure.user),
      .text(UserErasure.erasedName)
    )
    try row.forEachRow {
      found = (row.int64(0), row.int64(1), row.int64(2), row.int64(3), row.int64(4) != 0)
    }
    guard let found else {
      tables.eventBodies.reload()
      return .done
    }
    erasure.position = found.number
    guard found.goes else { return .again }
    try sql.run(
      "UPDATE events SET content = 0 WHERE id BETWEEN ?1 AND ?2 AND content = ?1",
      .number(found.number),
      .number(found.last)
    )
    try sql.run("DELETE FROM event_contents WHERE id = ?1", .number(found.number))
    let cost = StorageCost.event(body: Int(found.bytes), user: 0, device: 0)
    try tables.usage.add(-cost, to: tables.catalog.database(numbered: found.database))
    budget.take(20)
    return .again
  }

  /// Takes values and names out of the notifications that the user caused.
  func eraseEvents(_ erasure: inout UserErasure, _ budget: inout PieceBudget) throws -> Outcome {
    struct Hit {
      let number: Int64
      let body: [UInt8]
      let cost: Int64
      let database: Int64
    }
    let user = erasure.user
    var (hits, count): ([Hit], Int) = ([], 0)
    let row = try sql(
      """
      SELECT e.id, e.origin_user, length(e.origin_user) + length(e.origin_device) + length(e.body),
        e.body, coalesce(c.database_id, 0), coalesce(e.creator, '')
      FROM events e LEFT JOIN channels c ON c.id = e.channel_id
      WHERE e.id > ?1 ORDER BY e.id LIMIT \(Self.rowsPerPage)
      """,
      .number(erasure.position)
    )
    try row.forEachRow {
      count += 1
      erasure.position = row.int64(0)
      let origin = row.string(1)
      guard origin == user || origin == UserErasure.erasedName || row.string(5) == user else {
        return
      }
      hits.append(
        Hit(
          number: row.int64(0),
          body: row.bytes(3),
          cost: row.int64(2),
          database: row.int64(4)
        )
      )
    }
    for hit in hits {
      let body = try hit.body.withUnsafeBytes { try codec.withoutContent(ofEvent: $0) }
      try sql.run(
        """
        UPDATE events SET origin_user = ?2, origin_device = '', body = ?3,
          creator = CASE WHEN creator = ?4 THEN ?2 ELSE creator END WHERE id = ?1
        """,
        .number(hit.number),
        .text(UserErasure.erasedName),
        .bytes(body),
        .text(user)
      )
      guard hit.database != 0 else { continue }
      let cost = Int64(body.count + UserErasure.erasedName.utf8.count)
      try tables.usage.add(cost - hit.cost, to: tables.catalog.database(numbered: hit.database))
    }
    budget.take(count / 10 + 10 * hits.count)
    return count < Self.rowsPerPage ? .done : .again
  }

  /// Removes ended subscriptions, and their channels with all events if nobody else has one.
  func removeChannels(_ erasure: inout UserErasure, _ budget: inout PieceBudget) throws -> Outcome {
    let user = BoundValue.text(erasure.user)
    let channel = try sql.number(
      """
      SELECT channel_id FROM subscriptions WHERE owner = ?1
      UNION ALL SELECT id FROM channels WHERE reader = ?1 AND reader <> '' AND members = 0
      UNION ALL SELECT c.id FROM databases d JOIN channels c ON c.database_id = d.id WHERE d.owner = ?1
      LIMIT 1
      """,
      user
    )
    guard let channel else { return .done }
    let isOthersToo = try sql.number(
      "SELECT 1 FROM subscriptions WHERE channel_id = ?1 AND owner <> ?2 LIMIT 1",
      .number(channel),
      user
    )
    if isOthersToo == nil {
      // The newest event stays, empty: its number is not given again.
      let removed = try sql.count(
        """
        DELETE FROM events WHERE id IN (
          SELECT id FROM events WHERE channel_id = ?1 AND id < (SELECT max(id) FROM events)
          LIMIT \(Self.rowsPerPage)
        ) RETURNING 1
        """,
        .number(channel)
      )
      erasure.counts.add(removed, "notifications")
      budget.take(removed)
      if removed > 0 { return .again }
    }
    try removeSubscriptions(of: erasure.user, in: channel)
    if isOthersToo == nil { try removeChannel(channel) }
    return .again
  }

  private func removeSubscriptions(of user: String, in channel: Int64) throws {
    for table in ["fetches", "read_marks"] {
      // The newest read mark stays for its number; the step for rows makes it nobody's.
      let keepsNewest = table == "read_marks" ? " AND id < (SELECT max(id) FROM read_marks)" : ""
      try sql.run(
        "DELETE FROM \(table) WHERE channel_id = ?1 AND owner = ?2\(keepsNewest)",
        .number(channel),
        .text(user)
      )
    }
    // The newest subscription stays for its number, and says nothing.
    try sql.run(
      """
      DELETE FROM subscriptions WHERE channel_id = ?1 AND owner = ?2
        AND id < (SELECT max(id) FROM subscriptions)
      """,
      .number(channel),
      .text(user)
    )
    try sql.run(
      """
      UPDATE subscriptions SET owner = ?3, subscription_id = '', body = x'', ended = since
      WHERE channel_id = ?1 AND owner = ?2
      """,
      .number(channel),
      .text(user),
      .text(UserErasure.erasedName)
    )
  }

  private func removeChannel(_ channel: Int64) throws {
    let number = BoundValue.number(channel)
    try sql.run(
      """
      UPDATE events SET origin_user = '\(UserErasure.erasedName)', origin_device = '', body = x'',
        content = 0, creator = NULL WHERE channel_id = ?1
      """,
      number
    )
    for table in ["work_positions", "zone_removal_channels", "fetches"] {
      try sql.run("DELETE FROM \(table) WHERE channel_id = ?1", number)
    }
    try sql.run(
      "DELETE FROM channels WHERE id = ?1 AND id < (SELECT max(id) FROM channels)",
      number
    )
    // The newest one stays for its number.
    try sql.run(
      """
      UPDATE channels SET definition = NULL, watch = NULL, reader = '', members = 0,
        database_id = 0, definition_key = ?2 WHERE id = ?1
      """,
      number,
      .bytes(Cryptography.randomBytes(32))
    )
  }
}
