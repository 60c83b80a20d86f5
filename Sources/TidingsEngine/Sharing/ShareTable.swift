internal import TidingsModel
internal import TidingsSQL

/// The rows of shares and their participants: they follow the records of shares.
final class ShareTable: RecordFollower, TransactionParticipant {
  private let selectOfZone: any SQLStatement
  private let selectMembers: any SQLStatement
  private let countOfZone: any SQLStatement
  private let rows: EndedShareRows
  private let insert: any SQLStatement
  private let update: any SQLStatement
  private let updateHead: any SQLStatement
  private let end: any SQLStatement
  private let selectParticipants: any SQLStatement
  private let upsertParticipant: any SQLStatement
  private let deleteParticipant: any SQLStatement
  private let deleteParticipants: any SQLStatement
  private let selectRecords: any SQLStatement
  private let deleteRecord: any SQLStatement
  private let countAccepted: any SQLStatement
  private let invitations: ShareInvitationTable
  private let records: SharedRecordTable
  private let pace: Pace

  /// Rows that are written together.
  private static let rowsPerStep: Int64 = 256

  init(_ connection: any SQLConnection, records: SharedRecordTable, pace: Pace) throws {
    (self.records, self.pace) = (records, pace)
    invitations = try ShareInvitationTable(connection)
    selectOfZone = try connection.prepare(
      "SELECT id, name, root FROM shares WHERE zone_id = ?1 AND ended IS NULL"
    )
    selectMembers = try connection.prepare(
      """
      SELECT user FROM share_participants WHERE share_id = ?1 AND status = 2 AND permission >= 2
      """
    )
    countOfZone = try connection.prepare(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM shares WHERE zone_id = ?1 AND ended IS NULL LIMIT ?2
      ) AS counted
      """
    )
    rows = try EndedShareRows(connection)
    insert = try connection.prepare(
      """
      INSERT INTO shares
        (database_id, zone_id, zone_name, name, root, token, public_permission, head)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id
      """
    )
    update = try connection.prepare(
      "UPDATE shares SET public_permission = ?2, head = ?3 WHERE id = ?1"
    )
    updateHead = try connection.prepare("UPDATE shares SET head = ?2 WHERE id = ?1")
    end = try connection.prepare("UPDATE shares SET ended = ?2, head = ?3 WHERE id = ?1")
    selectParticipants = try connection.prepare(
      "SELECT user, permission, status, role FROM share_participants WHERE share_id = ?1"
    )
    upsertParticipant = try connection.prepare(
      """
      INSERT INTO share_participants (share_id, user, role, permission, status, joined)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (share_id, user) DO UPDATE SET
        role = excluded.role, permission = excluded.permission, status = excluded.status,
        joined = CASE
          WHEN excluded.status = 2 AND share_participants.status <> 2 THEN excluded.joined
          ELSE share_participants.joined END
      """
    )
    deleteParticipant = try connection.prepare(
      "DELETE FROM share_participants WHERE share_id = ?1 AND user = ?2"
    )
    deleteParticipants = try connection.prepare(
      "DELETE FROM share_participants WHERE share_id = ?1"
    )
    // Those that are gone wait for the others that are to be forgotten at the same time.
    selectRecords = try connection.prepare(
      "SELECT name FROM shared_records WHERE share_id = ?1 AND gone = 0 LIMIT ?2"
    )
    deleteRecord = try connection.prepare(
      "DELETE FROM shared_records WHERE share_id = ?1 AND name = ?2"
    )
    countAccepted = try connection.prepare(
      """
      SELECT count(*) FROM share_participants AS p
      JOIN shares AS s ON s.id = p.share_id AND s.ended IS NULL
      WHERE p.user = ?1 AND p.status = 2 AND p.permission >= 2
      """
    )
  }

  /// The shares of a zone; looked up once for a zone, which may have thousands.
  ///
  /// - Parameters:
  ///   - zone: The zone.
  ///   - mayGiveUp: Nothing is written yet.
  /// - Returns: The shares.
  /// - Throws: `LongCall`; `SQLError`.
  func shares(of zone: ZoneEntry, mayGiveUp: Bool = false) throws -> ZoneShares {
    if let known = zone.shares { return known }
    let shares = ZoneShares()
    if zone.number != 0 {
      selectOfZone.bind(zone.number, at: 1)
      try selectOfZone.forEachRow {
        shares.add(
          ZoneShares.Entry(
            number: selectOfZone.int64(0),
            name: selectOfZone.string(1),
            root: selectOfZone.string(2)
          )
        )
        try pace.lookStep(mayGiveUp: mayGiveUp)
      }
    }
    zone.shares = shares
    zone.database.remembered.add(details: shares.count)
    return shares
  }

  /// How many shares a zone has; no more than `limit` are counted.
  func count(in zone: ZoneEntry, upTo limit: Int) throws(SQLError) -> Int {
    if let known = zone.shares { return known.count }
    countOfZone.bind(zone.number, at: 1)
    countOfZone.bind(Int64(limit), at: 2)
    defer { countOfZone.reset() }
    return try countOfZone.step() ? Int(countOfZone.int64(0)) : 0
  }

  /// How many shares a user has accepted.
  func acceptedCount(of user: String) throws(SQLError) -> Int {
    countAccepted.bind(user, at: 1)
    defer { countAccepted.reset() }
    return try countAccepted.step() ? Int(countAccepted.int64(0)) : 0
  }

  /// Something that a share holds has changed.
  func moveHead(of share: Int64, to sequence: Int64) throws(SQLError) {
    updateHead.bind(share, at: 1)
    updateHead.bind(sequence, at: 2)
    try updateHead.run()
  }

  // MARK: RecordFollower

  func follow(_ write: RecordPlan.Write, in database: DatabaseEntry, of call: CallContext) throws {
    guard write.row.recordType == Share.recordType else { return }
    write.zone.acceptances.forget()
    write.zone.heldRecords.forget()
    let shares = try shares(of: write.zone)
    let entry = shares.byName[write.name]
    guard let share = write.new?.share else {
      if let entry { try finish(entry, shares, write.zone, by: call) }
      return
    }
    let current = try entry ?? start(share, write, shares, database)
    let sequence = write.zone.head
    update.bind(current.number, at: 1)
    update.bind(Int64(share.publicPermission.rawValue), at: 2)
    update.bind(sequence, at: 3)
    try update.run()
    try follow(share.participants, of: current.number, in: write.zone, by: call)
    try invitations.follow(
      share.participants,
      replacing: write.old?.share?.participants ?? [],
      of: current.number
    )
  }

  func followDeletion(of zone: ZoneEntry, in database: DatabaseEntry, by call: CallContext) throws {
    _ = try endSome(.max, in: zone, by: call)
  }

  /// Ends some shares of a zone that is to be deleted, the oldest ones; what they have goes with the zone's other rows.
  ///
  /// - Returns: How many; 0: none is left.
  /// - Throws: `SQLError`.
  func endSome(_ limit: Int, in zone: ZoneEntry, by call: CallContext) throws -> Int {
    let shares = try shares(of: zone)
    let ended = shares.byNumber.values.sorted { $0.number < $1.number }.prefix(limit)
    zone.acceptances.forget()
    zone.heldRecords.forget()
    // They may be members of thousands of shares.
    var users: Set<String> = []
    for share in ended {
      selectMembers.bind(share.number, at: 1)
      try selectMembers.forEachRow {
        let user = selectMembers.string(0)
        if users.insert(user).inserted {
          call.sharedChanges.note(.init(user: user, zone: zone))
        }
      }
      try markEnded(share, in: zone, by: call)
      shares.remove(share)
      pace.step()
    }
    return ended.count
  }

  private func markEnded(
    _ share: ZoneShares.Entry,
    in zone: ZoneEntry,
    by call: CallContext
  ) throws(SQLError) {
    end.bind(share.number, at: 1)
    end.bind(call.steady.milliseconds, at: 2)
    end.bind(zone.head, at: 3)
    try end.run()
  }

  /// Participants, and what a share held that ends.
  func rowCount(following write: RecordPlan.Write, in database: DatabaseEntry) throws -> Int {
    guard write.row.recordType == Share.recordType else { return 0 }
    let participants =
      (write.old?.share?.participants.count ?? 0) + (write.new?.share?.participants.count ?? 0)
    guard write.new == nil, let entry = try shares(of: write.zone).byName[write.name] else {
      return participants
    }
    return try participants + (entry.recordCount ?? records.recordCount(of: entry.number))
  }

  func removeRows(of zone: DeletedZone, limit: Int, at time: SteadyTime) throws -> Int {
    try rows.removeSome(of: zone.number, limit: limit)
  }

  func reload() { rows.forget() }

  private func start(
    _ share: Share,
    _ write: RecordPlan.Write,
    _ shares: ZoneShares,
    _ database: DatabaseEntry
  ) throws -> ZoneShares.Entry {
    guard let url = ShareURL(share.url) else {
      throw SQLError(.damaged, "the share '\(write.name)' has no URL")
    }
    insert.bind(database.number, at: 1)
    insert.bind(write.zone.number, at: 2)
    insert.bind(write.zone.id.zoneName, at: 3)
    insert.bind(write.name, at: 4)
    insert.bind(share.rootRecordName, at: 5)
    insert.bind(url.token, at: 6)
    insert.bind(Int64(share.publicPermission.rawValue), at: 7)
    insert.bind(write.zone.head, at: 8)
    defer { insert.reset() }
    _ = try insert.step()
    let entry = ZoneShares.Entry(
      number: insert.int64(0),
      name: write.name,
      root: share.rootRecordName
    )
    entry.recordCount = 0
    shares.add(entry)
    database.remembered.add(details: 1)
    return entry
  }

  /// The share ends; what it held stays where it is.
  private func finish(
    _ entry: ZoneShares.Entry,
    _ shares: ZoneShares,
    _ zone: ZoneEntry,
    by call: CallContext
  ) throws {
    for (user, old) in try participants(of: entry.number) where old.isMember {
      call.sharedChanges.note(.init(user: user, zone: zone))
    }
    try markEnded(entry, in: zone, by: call)
    deleteParticipants.bind(entry.number, at: 1)
    try deleteParticipants.run()
    try deleteRecords(of: entry.number)
    try invitations.deleteAll(of: entry.number)
    shares.remove(entry)
  }

  private func deleteRecords(of share: Int64) throws {
    var names: [String] = []
    repeat {
      names.removeAll(keepingCapacity: true)
      selectRecords.bind(share, at: 1)
      selectRecords.bind(Self.rowsPerStep, at: 2)
      try selectRecords.forEachRow { names.append(selectRecords.string(0)) }
      for name in names {
        deleteRecord.bind(share, at: 1)
        deleteRecord.bind(name, at: 2)
        try deleteRecord.run()
        pace.step()
      }
    } while !names.isEmpty
  }

  // MARK: Participants

  private struct State: Hashable {
    var permission: Int64
    var status: Int64
    var role: Int64
    /// May read what is shared.
    var isMember: Bool {
      status == Int64(Share.Status.accepted.rawValue)
        && permission >= Int64(Share.Permission.readOnly.rawValue)
    }
  }

  private func participants(of share: Int64) throws -> [String: State] {
    var found: [String: State] = [:]
    selectParticipants.bind(share, at: 1)
    try selectParticipants.forEachRow {
      found[selectParticipants.string(0)] = State(
        permission: selectParticipants.int64(1),
        status: selectParticipants.int64(2),
        role: selectParticipants.int64(3)
      )
    }
    return found
  }

  private func follow(
    _ participants: [Share.Participant],
    of share: Int64,
    in zone: ZoneEntry,
    by call: CallContext
  ) throws {
    var left = try self.participants(of: share)
    for participant in participants where participant.role != .owner && !participant.isOpen {
      let new = State(
        permission: Int64(participant.permission.rawValue),
        status: Int64(participant.status.rawValue),
        role: Int64(participant.role.rawValue)
      )
      let old = left.removeValue(forKey: participant.user)
      guard old != new else { continue }
      upsertParticipant.bind(share, at: 1)
      upsertParticipant.bind(participant.user, at: 2)
      upsertParticipant.bind(new.role, at: 3)
      upsertParticipant.bind(new.permission, at: 4)
      upsertParticipant.bind(new.status, at: 5)
      upsertParticipant.bind(zone.head, at: 6)
      try upsertParticipant.run()
      note(participant.user, share, zone, was: old?.isMember ?? false, is: new.isMember, call)
    }
    for (user, old) in left {
      deleteParticipant.bind(share, at: 1)
      deleteParticipant.bind(user, at: 2)
      try deleteParticipant.run()
      note(user, share, zone, was: old.isMember, is: false, call)
    }
  }

  private func note(
    _ user: String,
    _ share: Int64,
    _ zone: ZoneEntry,
    was wasMember: Bool,
    is isMember: Bool,
    _ call: CallContext
  ) {
    guard wasMember != isMember else { return }
    call.sharedChanges.note(.init(user: user, zone: zone))
  }
}
