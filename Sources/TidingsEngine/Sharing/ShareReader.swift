internal import TidingsModel
internal import TidingsSQL

/// Reads what is shared with whom, on the loop's connection or a reader's.
final class ShareReader {
  private let selectAccepted: any SQLStatement
  private let selectAcceptedInZone: any SQLStatement
  private let selectByToken: any SQLStatement
  private let selectByInvitation: any SQLStatement
  private let selectShare: any SQLStatement
  private let selectShareOfRecord: any SQLStatement
  private let selectOwned: any SQLStatement
  private let selectInvited: any SQLStatement

  private static let columns = """
    s.id, s.database_id, s.zone_id, s.zone_name, d.owner, s.name, s.root, s.public_permission, s.head,
    s.floor
    """

  init(_ connection: any SQLConnection) throws {
    let accepted = """
      SELECT \(Self.columns), p.permission, p.joined, p.role FROM share_participants AS p
      JOIN shares AS s ON s.id = p.share_id
      JOIN databases AS d ON d.id = s.database_id
      WHERE p.user = ?1 AND p.status = 2 AND p.permission >= 2 AND s.ended IS NULL
      """
    selectAccepted = try connection.prepare(
      accepted + " AND d.container = ?2 AND d.environment = ?3 ORDER BY p.share_id"
    )
    selectAcceptedInZone = try connection.prepare(
      accepted + " AND s.zone_id = ?2 ORDER BY p.share_id"
    )
    let shares = """
      SELECT \(Self.columns) FROM shares AS s JOIN databases AS d ON d.id = s.database_id
      """
    selectByToken = try connection.prepare(shares + " WHERE s.token = ?1 AND s.ended IS NULL")
    selectByInvitation = try connection.prepare(
      """
      SELECT \(Self.columns), i.participant_id FROM share_invitations AS i
      JOIN shares AS s ON s.id = i.share_id JOIN databases AS d ON d.id = s.database_id
      WHERE i.token_hash = ?1 AND s.ended IS NULL
      """
    )
    selectShare = try connection.prepare(shares + " WHERE s.id = ?1")
    selectShareOfRecord = try connection.prepare(
      "SELECT share_id, came FROM shared_records WHERE zone_id = ?1 AND name = ?2 AND gone = 0"
    )
    selectOwned = try connection.prepare(
      """
      SELECT s.id FROM shares AS s WHERE s.database_id = (
        SELECT id FROM databases
        WHERE container = ?2 AND environment = ?3 AND scope = 2 AND owner = ?1
      ) AND s.ended IS NULL AND s.id > ?4 ORDER BY s.id LIMIT ?5
      """
    )
    // Anybody invites: all of them are looked at, a few at a time.
    selectInvited = try connection.prepare(
      """
      SELECT p.share_id, CASE
        WHEN p.status < 3 AND p.permission >= 2 AND s.ended IS NULL AND d.container = ?2
          AND d.environment = ?3 THEN 1 ELSE 0 END
      FROM share_participants AS p
      JOIN shares AS s ON s.id = p.share_id
      JOIN databases AS d ON d.id = s.database_id
      WHERE p.user = ?1 AND p.share_id > ?4 ORDER BY p.share_id LIMIT ?5
      """
    )
  }

  // MARK: What a user has

  /// The shares that a user has accepted in a container and environment, oldest first.
  func accepted(
    by user: String,
    container: String,
    environment: Environment
  ) throws -> [AcceptedShare] {
    selectAccepted.bind(container, at: 2)
    selectAccepted.bind(Int64(environment.rawValue), at: 3)
    return try accepted(by: user, selectAccepted)
  }

  /// The shares that a user has accepted in a zone, oldest first.
  func accepted(by user: String, inZone zoneNumber: Int64) throws -> [AcceptedShare] {
    selectAcceptedInZone.bind(zoneNumber, at: 2)
    return try accepted(by: user, selectAcceptedInZone)
  }

  private func accepted(
    by user: String,
    _ statement: any SQLStatement
  ) throws -> [AcceptedShare] {
    var found: [AcceptedShare] = []
    statement.bind(user, at: 1)
    try statement.forEachRow {
      let permission = Share.Permission(rawValue: Int32(truncatingIfNeeded: statement.int64(10)))
      found.append(
        AcceptedShare(
          share: try share(statement),
          permission: permission ?? .readOnly,
          isAdministrator: statement.int64(12) == Int64(Share.Role.administrator.rawValue),
          joined: statement.int64(11)
        )
      )
    }
    return found
  }

  /// The shares that a user owns, was invited to or has accepted, a page of them in the order of their
  /// numbers.
  ///
  /// - Parameters:
  ///   - user: The user.
  ///   - container: The container.
  ///   - environment: The environment.
  ///   - number: Only shares with higher numbers.
  ///   - limit: Most shares.
  ///   - pace: Lets others have their turns.
  /// - Returns: The shares, and the number behind which the next page begins, if this one ends early: others may have
  ///   invited the user elsewhere very often.
  /// - Throws: `LongCall`; `SQLError`.
  func shares(
    of user: String,
    container: String,
    environment: Environment,
    after number: Int64,
    limit: Int,
    pace: Pace
  ) throws -> (shares: [StoredShare], end: Int64?) {
    for statement in [selectOwned, selectInvited] {
      statement.bind(user, at: 1)
      statement.bind(container, at: 2)
      statement.bind(Int64(environment.rawValue), at: 3)
    }
    var numbers: [Int64] = []
    selectOwned.bind(number, at: 4)
    selectOwned.bind(Int64(limit), at: 5)
    try selectOwned.forEachRow { numbers.append(selectOwned.int64(0)) }
    let invited = try invited(after: number, limit: limit, pace: pace)
    numbers += invited.numbers
    if let end = invited.end { numbers.removeAll { $0 > end } }
    let shares = try numbers.sorted().prefix(limit).compactMap { try share(numbered: $0) }
    return (shares, numbers.count < limit ? invited.end : nil)
  }

  /// Invitations that are looked at together.
  private static let invitedRowsMax = 256
  /// Invitations that a page looks at.
  private static let invitedRowsPerPageMax = 4_096

  /// The numbers of shares to which the bound user is invited in the bound container.
  ///
  /// - Returns: The numbers, and the last one that was looked at, if there are more.
  private func invited(
    after number: Int64,
    limit: Int,
    pace: Pace
  ) throws -> (numbers: [Int64], end: Int64?) {
    var (numbers, last, rows) = ([] as [Int64], number, Self.invitedRowsMax)
    var rowsLeft = Self.invitedRowsPerPageMax
    while rows == Self.invitedRowsMax, numbers.count < limit {
      guard rowsLeft > 0 else { return (numbers, last) }
      rowsLeft -= Self.invitedRowsMax
      rows = 0
      selectInvited.bind(last, at: 4)
      selectInvited.bind(Int64(Self.invitedRowsMax), at: 5)
      try selectInvited.forEachRow {
        rows += 1
        last = selectInvited.int64(0)
        if selectInvited.int64(1) != 0 { numbers.append(last) }
      }
      try pace.decisionStep()
    }
    return (numbers, nil)
  }

  // MARK: Shares

  /// The share whose URL has a token; `nil`: there is none, or none any more.
  func share(withToken token: [UInt8]) throws -> StoredShare? {
    selectByToken.bind(token, at: 1)
    defer { selectByToken.reset() }
    return try selectByToken.step() ? try share(selectByToken) : nil
  }

  /// The share of which a one-time URL has a token, and the invitation in it; `nil`: there is none, or
  /// none any more.
  func invitation(
    withToken token: [UInt8]
  ) throws -> (share: StoredShare, participantID: String)? {
    selectByInvitation.bind(ShareInvitationTable.hash(ofToken: token), at: 1)
    defer { selectByInvitation.reset() }
    guard try selectByInvitation.step() else { return nil }
    return (try share(selectByInvitation), selectByInvitation.string(10))
  }

  /// A share, also one that has ended.
  func share(numbered number: Int64) throws -> StoredShare? {
    selectShare.bind(number, at: 1)
    defer { selectShare.reset() }
    return try selectShare.step() ? try share(selectShare) : nil
  }

  /// The hierarchical share that holds a record, or whose own record it is, and the zone's number when
  /// the record came into it; `nil`: none does.
  func share(
    ofRecord name: String,
    inZone zoneNumber: Int64
  ) throws(SQLError) -> (number: Int64, came: Int64)? {
    selectShareOfRecord.bind(zoneNumber, at: 1)
    selectShareOfRecord.bind(name, at: 2)
    defer { selectShareOfRecord.reset() }
    guard try selectShareOfRecord.step() else { return nil }
    return (selectShareOfRecord.int64(0), selectShareOfRecord.int64(1))
  }

  private func share(_ row: any SQLStatement) throws(SQLError) -> StoredShare {
    guard
      let permission = Share.Permission(rawValue: Int32(truncatingIfNeeded: row.int64(7)))
    else { throw SQLError(.damaged, "a stored share has no known permission") }
    return StoredShare(
      number: row.int64(0),
      database: row.int64(1),
      zoneNumber: row.int64(2),
      zone: ZoneID(zoneName: row.string(3)),
      owner: row.string(4),
      name: row.string(5),
      root: row.string(6),
      publicPermission: permission,
      head: row.int64(8),
      floor: row.int64(9)
    )
  }
}
