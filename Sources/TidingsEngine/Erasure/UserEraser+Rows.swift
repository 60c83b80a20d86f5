internal import TidingsModel
internal import TidingsSQL

/// All other rows that name the user.
extension UserEraser {
  /// A table whose rows of the user are removed a page at a time, in the order of the second column of its key.
  private struct Keyed {
    let table: String
    let owner: String
    let key: String
    let kind: String

    /// Looking up a list of keys would go through all rows of the user for each page.
    func delete(rows: Int) -> String {
      """
      DELETE FROM \(table) WHERE \(owner) = ?1 AND \(key) <= coalesce(
        (SELECT \(key) FROM \(table) WHERE \(owner) = ?1 ORDER BY \(key) LIMIT 1 OFFSET \(rows - 1)),
        (SELECT \(key) FROM \(table) WHERE \(owner) = ?1 ORDER BY \(key) DESC LIMIT 1)
      ) RETURNING 1
      """
    }
  }

  private static let keyed = [
    Keyed(table: "answers", owner: "owner", key: "idempotency_key", kind: "answers"),
    Keyed(table: "devices", owner: "owner", key: "name", kind: "devices"),
    Keyed(table: "access_requests", owner: "user", key: "share_id", kind: "access-requests"),
    Keyed(table: "share_participants", owner: "user", key: "share_id", kind: "invitations"),
  ]
  /// Few rows of each user.
  private static let small = ["badges", "control_epochs", "feed_floors"]

  /// Removes a page of rows; the position counts zones and channels that may have marks of the user.
  func removeRows(_ erasure: inout UserErasure) throws -> Outcome {
    let user = BoundValue.text(erasure.user)
    if try sql.number(
      "SELECT 1 FROM databases d JOIN zones z ON z.database_id = d.id WHERE d.owner = ?1 LIMIT 1",
      user
    ) != nil {
      // A call that had begun before the erasure has written since.
      (erasure.step, erasure.position) = (.subscriptions, 0)
      return .again
    }
    for table in Self.keyed {
      let removed = try sql.count(table.delete(rows: Self.rowsPerPage), user)
      erasure.counts.add(removed, table.kind)
      if removed > 0 { return .again }
    }
    if try removeReadMarks(erasure.user) || removeWork(of: erasure.user) { return .again }
    if try removeDeletedZones(of: erasure.user) { return .again }
    if try removeMarks(&erasure) || removeTargets(&erasure) { return .again }
    erasure.counts.add(
      try sql.count("DELETE FROM directory_entries WHERE user = ?1 RETURNING 1", user),
      "directory-entries"
    )
    for table in Self.small { try sql.run("DELETE FROM \(table) WHERE owner = ?1", user) }
    let nobody = BoundValue.text(UserErasure.erasedName)
    // Without the row everybody would see the type.
    try sql.run(
      """
      INSERT INTO type_users (container, environment, record_type, user)
      SELECT container, environment, record_type, ?2 FROM type_users WHERE user = ?1
      ON CONFLICT DO NOTHING
      """,
      user,
      nobody
    )
    try sql.run("DELETE FROM type_users WHERE user = ?1", user)
    try sql.run(
      "UPDATE zone_removals SET origin_user = ?2, origin_device = '' WHERE origin_user = ?1",
      user,
      nobody
    )
    try sql.run("UPDATE environment_resets SET user = ?2 WHERE user = ?1", user, nobody)
    try sql.run("UPDATE user_erasures SET requested_by = ?2 WHERE requested_by = ?1", user, nobody)
    return .done
  }

  private func removeReadMarks(_ user: String) throws -> Bool {
    let removed = try sql.count(
      """
      DELETE FROM read_marks WHERE id IN (
        SELECT id FROM read_marks WHERE owner = ?1 AND id < (SELECT max(id) FROM read_marks)
        LIMIT \(Self.rowsPerPage)
      ) RETURNING 1
      """,
      .text(user)
    )
    guard removed == 0 else { return true }
    // The newest one stays for its number.
    try sql.run(
      """
      UPDATE read_marks SET owner = ?2, container = '', device = '', channel_id = 0, sequence = id
      WHERE owner = ?1
      """,
      .text(user),
      .text(UserErasure.erasedName)
    )
    return false
  }

  private func removeWork(of user: String) throws -> Bool {
    guard
      let group = try sql.number("SELECT id FROM work_groups WHERE owner = ?1 LIMIT 1", .text(user))
    else { return false }
    let removed = try sql.count(
      """
      DELETE FROM work_leases WHERE group_id = ?1 AND channel_id = (
        SELECT min(channel_id) FROM work_leases WHERE group_id = ?1
      ) AND sequence < \(Self.rowsPerPage) + (
        SELECT min(sequence) FROM work_leases WHERE group_id = ?1 AND channel_id = (
          SELECT min(channel_id) FROM work_leases WHERE group_id = ?1
        )
      ) RETURNING 1
      """,
      .number(group)
    )
    guard removed == 0 else { return true }
    let positions = Keyed(
      table: "work_positions",
      owner: "group_id",
      key: "channel_id",
      kind: "positions"
    )
    guard try sql.count(positions.delete(rows: Self.rowsPerPage), .number(group)) == 0 else {
      return true
    }
    try sql.run("DELETE FROM work_groups WHERE id = ?1", .number(group))
    return true
  }

  /// Forgets a page of the zones that a database of the user had.
  ///
  /// - Returns: There may be more.
  private func removeDeletedZones(of user: String) throws -> Bool {
    guard
      let database = try sql.number(
        """
        SELECT d.id FROM databases d WHERE d.owner = ?1
          AND EXISTS (SELECT 1 FROM deleted_zones z WHERE z.database_id = d.id) LIMIT 1
        """,
        .text(user)
      )
    else { return false }
    try raiseFloor(ofDatabase: database)
    let zones = Keyed(table: "deleted_zones", owner: "database_id", key: "name", kind: "zones")
    _ = try sql.count(zones.delete(rows: Self.rowsPerPage), .number(database))
    return true
  }

  /// No token may skip the deletions of zones that are forgotten.
  private func raiseFloor(ofDatabase number: Int64) throws {
    try sql.run(
      """
      UPDATE databases SET feed_floor = max(feed_floor, coalesce(
        (SELECT max(changed) FROM deleted_zones WHERE database_id = ?1), 0
      )) WHERE id = ?1
      """,
      .number(number)
    )
  }

  /// Removes a delivery target with a page of what waits for it.
  ///
  /// - Returns: There may be more.
  private func removeTargets(_ erasure: inout UserErasure) throws -> Bool {
    guard
      let target = try sql.number(
        "SELECT id FROM delivery_targets WHERE owner = ?1 LIMIT 1",
        .text(erasure.user)
      )
    else { return false }
    let removed = try sql.count(
      """
      DELETE FROM deliveries WHERE id IN (
        SELECT id FROM deliveries WHERE target_id = ?1 LIMIT \(Self.rowsPerPage)
      ) RETURNING 1
      """,
      .number(target)
    )
    guard removed == 0 else { return true }
    try sql.run("DELETE FROM delivery_targets WHERE id = ?1", .number(target))
    try tables.deliveryTargets.remove(target)
    erasure.counts.add(1, "delivery-targets")
    return true
  }

  /// Removes what the user's devices left in a page of zones and channels.
  ///
  /// - Returns: There may be more.
  private func removeMarks(_ erasure: inout UserErasure) throws -> Bool {
    var numbers: [Int64] = []
    let row = try sql(
      """
      SELECT id FROM zones WHERE id > ?1 UNION SELECT id FROM channels WHERE id > ?1
      ORDER BY 1 LIMIT \(Self.rowsPerPage)
      """,
      .number(erasure.position)
    )
    try row.forEachRow { numbers.append(row.int64(0)) }
    for number in numbers {
      for (table, key) in [("client_tokens", "zone_id"), ("fetches", "channel_id")] {
        let removed = try sql.count(
          "DELETE FROM \(table) WHERE \(key) = ?1 AND owner = ?2 RETURNING 1",
          .number(number),
          .text(erasure.user)
        )
        erasure.counts.add(removed, "positions")
      }
    }
    guard let last = numbers.last else { return false }
    erasure.position = last
    return true
  }

  // MARK: Account

  /// Removes the account with its keys, and the databases.
  func removeAccount(_ erasure: inout UserErasure) throws -> Outcome {
    let user = erasure.user
    let databases = try sql("SELECT id FROM databases WHERE owner = ?1", .text(user))
    var numbers: [Int64] = []
    try databases.forEachRow { numbers.append(databases.int64(0)) }
    for number in numbers { try removeOrRetain(number) }
    tables.accounts.willReload()
    // The newest key stays for its number, and is nobody's.
    let keys = try sql.count(
      """
      DELETE FROM account_keys WHERE user = ?1 AND id < (SELECT max(id) FROM account_keys) RETURNING 1
      """,
      .text(user)
    )
    let newest = try sql.count(
      """
      UPDATE account_keys SET user = ?2, public_key = ?3, label = '', retired = 1,
        revoked = coalesce(revoked, admitted) WHERE user = ?1 RETURNING 1
      """,
      .text(user),
      .text(UserErasure.erasedName),
      .bytes(Cryptography.randomBytes(32))
    )
    erasure.counts.add(keys + newest, "keys")
    try removeWebTokens(&erasure)
    try sql.run("DELETE FROM account_roles WHERE user = ?1", .text(user))
    try sql.run("DELETE FROM user_rotations WHERE user = ?1", .text(user))
    erasure.counts.add(
      try sql.count("DELETE FROM accounts WHERE user = ?1 RETURNING 1", .text(user)),
      "accounts"
    )
    // From now on the keys admit nobody.
    _ = try tables.accounts.user(user)
    tables.usage.remove(user)
    try sql.run("DELETE FROM usage WHERE owner = ?1", .text(user))
    tables.quotas.userRemoved(user)
    tables.devices.reload()
    tables.publicAccesses.forget()
    return .done
  }

  /// Removes sessions and server keys; the newest row stays for its number, and is nobody's.
  private func removeWebTokens(_ erasure: inout UserErasure) throws {
    tables.webTokens.willReload()
    let removed = try sql.count(
      """
      DELETE FROM web_tokens WHERE "user" = ?1 AND id < (SELECT max(id) FROM web_tokens) RETURNING 1
      """,
      .text(erasure.user)
    )
    // As a session that is over it is removed when there is a newer one.
    let newest = try sql.count(
      """
      UPDATE web_tokens SET kind = 2, "user" = ?2, hash = ?3, label = '', public_key = ?4,
        previous_hash = NULL, previous_ends = NULL, expires = created,
        revoked = coalesce(revoked, created)
      WHERE "user" = ?1 RETURNING 1
      """,
      .text(erasure.user),
      .text(UserErasure.erasedName),
      .bytes(Cryptography.randomBytes(WebTokenHash.bytesCount)),
      .bytes([])
    )
    erasure.counts.add(removed + newest, "web-tokens")
  }

  /// Removes a database; one with ended shares stays with its owner's name until these are forgotten.
  private func removeOrRetain(_ number: Int64) throws {
    try raiseFloor(ofDatabase: number)
    try sql.run("DELETE FROM deleted_zones WHERE database_id = ?1", .number(number))
    let hasShares = try sql.number("SELECT 1 FROM shares WHERE database_id = ?1", .number(number))
    guard hasShares != nil else { return try removeDatabase(number) }
    try sql.run(
      "INSERT INTO erased_databases (database_id) VALUES (?1) ON CONFLICT DO NOTHING",
      .number(number)
    )
    // What it knows of its zones and usage is not so any more.
    tables.catalog.forget(databaseNumbered: number)
  }
}
