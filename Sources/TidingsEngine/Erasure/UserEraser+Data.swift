internal import TidingsModel
internal import TidingsSQL

/// What belongs to the user: subscriptions, shares, zones, assets.
extension UserEraser {
  func waitForLastTopics(of erasure: UserErasure) throws -> Outcome {
    let isRotating = try sql.number(
      "SELECT 1 FROM user_rotations WHERE user = ?1",
      .text(erasure.user)
    )
    return isRotating == nil ? .done : .wait(Self.wait)
  }

  func endSubscriptions(_ erasure: inout UserErasure) throws -> Outcome {
    var found: [(name: String, database: Int64)] = []
    let row = try sql(
      """
      SELECT subscription_id, database_id FROM subscriptions
      WHERE owner = ?1 AND ended IS NULL LIMIT 20
      """,
      .text(erasure.user)
    )
    try row.forEachRow { found.append((row.string(0), row.int64(1))) }
    for subscription in found {
      let database = try tables.catalog.database(numbered: subscription.database)
      try tables.subscriptions.remove(subscription.name, of: erasure.user, from: database)
      // One whose channel fired for the only time ended with it, and its row does not say so yet.
      try sql.run(
        """
        UPDATE subscriptions SET ended = since + 1
        WHERE owner = ?1 AND database_id = ?2 AND subscription_id = ?3 AND ended IS NULL
        """,
        .text(erasure.user),
        .number(subscription.database),
        .text(subscription.name)
      )
    }
    erasure.counts.add(found.count, "subscriptions")
    tables.subscriptionTable.forgetOwned()
    return found.isEmpty ? .done : .again
  }

  /// Leaves the next share of another user, or gives up its invitation.
  func leaveShare(_ erasure: inout UserErasure, at moment: Moment) throws -> Outcome {
    let user = erasure.user
    let row = try sql(
      """
      SELECT p.share_id, s.database_id, s.zone_name, s.name FROM share_participants p
      JOIN shares s ON s.id = p.share_id AND s.ended IS NULL
      JOIN databases d ON d.id = s.database_id AND d.owner <> ?1
      WHERE p.user = ?1 AND p.share_id > ?2 ORDER BY p.share_id LIMIT 1
      """,
      .text(user),
      .number(erasure.position)
    )
    var found: (share: Int64, database: Int64, zone: String, name: String)?
    try row.forEachRow { found = (row.int64(0), row.int64(1), row.string(2), row.string(3)) }
    guard let found else { return .done }
    erasure.position = found.share
    let database = try tables.catalog.database(numbered: found.database)
    guard let zone = try tables.catalog.zone(ZoneID(zoneName: found.zone), in: database) else {
      return .again
    }
    let caller = Caller(user: UserErasure.erasedName, device: "")
    _ = try tables.firings.asOneCall(by: caller, at: moment) { call in
      try tables.records.changeShare(found.name, in: zone, by: call) { share in
        var share = share
        share.participants.removeAll { $0.user == user }
        return share
      }
    }
    erasure.counts.add(1, "memberships")
    return .again
  }

  /// Ends shares of the next zone of the user's databases, deletes it when it has none, and waits until all rows of zones are removed.
  func deleteZone(_ erasure: inout UserErasure, at moment: Moment) throws -> Outcome {
    let row = try sql(
      """
      SELECT z.database_id, z.name FROM databases d JOIN zones z ON z.database_id = d.id WHERE d.owner = ?1 LIMIT 1
      """,
      .text(erasure.user)
    )
    var found: (database: Int64, zone: String)?
    try row.forEachRow { found = (row.int64(0), row.string(1)) }
    guard let found else {
      let isRemoving = try sql.number(
        """
        SELECT 1 FROM databases d JOIN zone_removals r ON r.database_id = d.id
        WHERE d.owner = ?1 LIMIT 1
        """,
        .text(erasure.user)
      )
      return isRemoving == nil ? .done : .wait(Self.wait)
    }
    let database = try tables.catalog.database(numbered: found.database)
    guard let zone = try tables.catalog.zone(ZoneID(zoneName: found.zone), in: database) else {
      throw SQLError(.damaged, "a zone of the database \(found.database) cannot be found")
    }
    let caller = Caller(user: UserErasure.erasedName, device: "")
    let ended = try tables.firings.asOneCall(by: caller, at: moment) { call in
      try tables.shares.endSome(Self.sharesPerPage, in: zone, by: call)
    }
    erasure.counts.add(ended, "shares")
    if ended > 0 { return .again }
    let records = Int(zone.usage.records)
    do {
      try tables.firings.asOneCall(by: caller, at: moment) { call in
        try tables.zones.remove(zone, from: database, because: .deleted, by: call)
      }
    } catch let error as ItemError where error.code == .zoneBusy {
      return .wait(error.retryAfter ?? .seconds(1))
    }
    erasure.counts.add(1, "zones")
    erasure.counts.add(records, "records")
    return .again
  }

  /// Removes superseded versions of all records, since they do not record their owner.
  ///
  /// Who has a conflict meanwhile gets no ancestor, as for one that is too old.
  func removeAncestors(_ erasure: inout UserErasure, at moment: Moment) throws -> Outcome {
    if erasure.position == 0 {
      // An empty version stands for the newest number, which is not given again.
      let nothing = RecordTable.Row(sequence: 0, recordType: "", body: nil)
      erasure.position = try tables.ancestors.append(nothing, at: moment.steady)
    }
    let removed = try sql.count(
      """
      DELETE FROM ancestors WHERE id < ?1
        AND id < (SELECT min(id) FROM ancestors) + \(Self.rowsPerPage) RETURNING 1
      """,
      .number(erasure.position)
    )
    return removed == 0 ? .done : .again
  }

  /// Releases the user's assets, and waits until they are gone.
  func removeAssets(_ erasure: inout UserErasure) throws -> Outcome {
    let user = BoundValue.text(erasure.user)
    let waiting = try sql.number(
      """
      SELECT 1 FROM databases d JOIN assets a ON a.database_id = d.id
      WHERE d.owner = ?1 AND a.released = 0 LIMIT 1
      """,
      user
    )
    // No more at a time than others collect.
    if waiting != nil {
      wake()
      return .wait(Self.wait)
    }
    let database = try sql.number(
      "SELECT d.id FROM databases d JOIN assets a ON a.database_id = d.id WHERE d.owner = ?1 LIMIT 1",
      user
    )
    if let database {
      let released = try sql.count(
        """
        UPDATE assets SET released = 0, was_named = 0
        WHERE database_id = ?1 AND checksum <= coalesce(
          (SELECT checksum FROM assets WHERE database_id = ?1 ORDER BY checksum
            LIMIT 1 OFFSET \(Self.rowsPerPage - 1)),
          (SELECT checksum FROM assets WHERE database_id = ?1 ORDER BY checksum DESC LIMIT 1)
        ) RETURNING 1
        """,
        .number(database)
      )
      erasure.counts.add(released, "assets")
      return .again
    }
    let sent = try eraseUploads(of: erasure.user, &erasure.counts)
    if sent { return .again }
    let isThere = try sql.number(
      "SELECT 1 FROM assets WHERE payer = ?1 AND payer <> '' AND released = 0 LIMIT 1",
      user
    )
    if isThere == nil { return .done }
    wake()
    return .wait(Self.wait)
  }

  /// What the user sent to others' databases: what no record names goes, and the container pays for the rest.
  ///
  /// - Returns: Whether there was something.
  private func eraseUploads(of user: String, _ counts: inout ErasureCounts) throws -> Bool {
    let forgotten = try sql.count(
      """
      DELETE FROM asset_uploads WHERE user = ?1 AND database_id =
        (SELECT min(database_id) FROM asset_uploads WHERE user = ?1) RETURNING 1
      """,
      .text(user)
    )
    var paid: [(database: Int64, checksum: [UInt8], isReleased: Bool)] = []
    let row = try sql(
      """
      SELECT database_id, checksum, released IS NOT NULL FROM assets
      WHERE payer = ?1 AND payer <> '' AND coalesce(released, 1) > 0 LIMIT \(Self.rowsPerPage)
      """,
      .text(user)
    )
    try row.forEachRow { paid.append((row.int64(0), row.bytes(1), row.int64(2) != 0)) }
    for asset in paid {
      try sql.run(
        asset.isReleased
          ? "UPDATE assets SET released = 0, was_named = 0 WHERE database_id = ?1 AND checksum = ?2"
          : "UPDATE assets SET payer = '' WHERE database_id = ?1 AND checksum = ?2",
        .number(asset.database),
        .bytes(asset.checksum)
      )
    }
    counts.add(paid.count { $0.isReleased }, "assets")
    return forgotten > 0 || !paid.isEmpty
  }
}
