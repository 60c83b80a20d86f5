internal import TidingsModel
internal import TidingsSQL

/// The leases of groups: one row for each notification that was handed out, until it is forgotten
/// with its event.
final class LeaseTable {
  /// A lease as it is stored.
  struct Row {
    var id: LeaseID
    var device: String
    var expires: Int64
    var isSettled: Bool

    /// The device gave it back.
    var isReleased: Bool { expires == LeaseTable.released }
  }

  /// When a lease ended that was given back: before all that expired.
  private static let released: Int64 = 0

  private let selectEnded: any SQLStatement
  private let selectNextEnd: any SQLStatement
  private let countOpen: any SQLStatement
  private let selectRow: any SQLStatement
  private let insert: any SQLStatement
  private let renew: any SQLStatement
  private let setExpiry: any SQLStatement
  private let settle: any SQLStatement
  private let delete: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    selectEnded = try connection.prepare(
      """
      SELECT channel_id, sequence, number FROM work_leases
      WHERE group_id = ?1 AND settled IS NULL AND expires <= ?2
      ORDER BY expires, channel_id, sequence LIMIT ?3
      """
    )
    selectNextEnd = try connection.prepare(
      """
      SELECT expires FROM work_leases
      WHERE group_id = ?1 AND settled IS NULL AND expires > ?2 ORDER BY expires LIMIT 1
      """
    )
    countOpen = try connection.prepare(
      "SELECT count(*) FROM work_leases WHERE group_id = ?1 AND settled IS NULL"
    )
    selectRow = try connection.prepare(
      """
      SELECT device, number, expires, CASE WHEN settled IS NULL THEN 0 ELSE 1 END
      FROM work_leases WHERE group_id = ?1 AND channel_id = ?2 AND sequence = ?3
      """
    )
    insert = try connection.prepare(
      """
      INSERT INTO work_leases
        (group_id, channel_id, sequence, device, number, leased, leased_nanos, expires)
      VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6, ?7)
      """
    )
    renew = try connection.prepare(
      """
      UPDATE work_leases SET device = ?4, leased = ?5, leased_nanos = ?6, expires = ?7, number = ?8
      WHERE group_id = ?1 AND channel_id = ?2 AND sequence = ?3
      """
    )
    setExpiry = try connection.prepare(
      """
      UPDATE work_leases SET expires = ?4
      WHERE group_id = ?1 AND channel_id = ?2 AND sequence = ?3
      """
    )
    settle = try connection.prepare(
      """
      UPDATE work_leases SET settled = ?4, settled_nanos = ?5
      WHERE group_id = ?1 AND channel_id = ?2 AND sequence = ?3
      """
    )
    delete = try connection.prepare(
      "DELETE FROM work_leases WHERE group_id = ?1 AND channel_id = ?2 AND sequence = ?3"
    )
  }

  /// Leases that ended without being settled: those given back first, then the longest ended.
  func ended(of group: Int64, at now: SteadyTime, limit: Int) throws -> [LeaseID] {
    var leases: [LeaseID] = []
    selectEnded.bind(group, at: 1)
    selectEnded.bind(now.milliseconds, at: 2)
    selectEnded.bind(Int64(limit), at: 3)
    try selectEnded.forEachRow {
      leases.append(
        LeaseID(
          group: group,
          notification: NotificationID(
            channel: selectEnded.int64(0),
            sequence: selectEnded.int64(1)
          ),
          number: selectEnded.int64(2)
        )
      )
    }
    return leases
  }

  /// How long until a lease that is open ends; `nil`: none is.
  func nextEnd(of group: Int64, after now: SteadyTime) throws(SQLError) -> Duration? {
    selectNextEnd.bind(group, at: 1)
    selectNextEnd.bind(now.milliseconds, at: 2)
    defer { selectNextEnd.reset() }
    guard try selectNextEnd.step() else { return nil }
    return .milliseconds(selectNextEnd.int64(0) - now.milliseconds)
  }

  /// How many leases of a group are not settled.
  func openCount(of group: Int64) throws(SQLError) -> Int {
    countOpen.bind(group, at: 1)
    defer { countOpen.reset() }
    return try countOpen.step() ? Int(countOpen.int64(0)) : 0
  }

  /// The newest lease of a notification; `nil`: the group never had it, or it is forgotten.
  func row(_ notification: NotificationID, of group: Int64) throws(SQLError) -> Row? {
    bind(notification, of: group, to: selectRow)
    defer { selectRow.reset() }
    guard try selectRow.step() else { return nil }
    return Row(
      id: LeaseID(group: group, notification: notification, number: selectRow.int64(1)),
      device: selectRow.string(0),
      expires: selectRow.int64(2),
      isSettled: selectRow.int64(3) != 0
    )
  }

  /// Leases a notification to a device: for the first time, or again.
  func lease(
    _ id: LeaseID,
    to device: String,
    at moment: Moment,
    for timeout: Duration
  ) throws(SQLError) {
    let statement = id.number == 1 ? insert : renew
    bind(id.notification, of: id.group, to: statement)
    statement.bind(device, at: 4)
    statement.bind(moment.timeOfDay, at: 5, nanos: 6)
    statement.bind(moment.steady.advanced(by: timeout).milliseconds, at: 7)
    if id.number > 1 { statement.bind(id.number, at: 8) }
    try statement.run()
  }

  /// The lease ends at another time.
  func extend(_ id: LeaseID, until expires: SteadyTime) throws(SQLError) {
    try end(id, at: expires.milliseconds)
  }

  /// The lease is given back.
  func release(_ id: LeaseID) throws(SQLError) { try end(id, at: Self.released) }

  /// The notification is done: it is never handed out to the group again.
  func settle(_ id: LeaseID, at now: Timestamp) throws(SQLError) {
    bind(id.notification, of: id.group, to: settle)
    settle.bind(now, at: 4, nanos: 5)
    try settle.run()
  }

  /// Forgets a lease whose notification is gone.
  func delete(_ id: LeaseID) throws(SQLError) {
    bind(id.notification, of: id.group, to: delete)
    try delete.run()
  }

  private func end(_ id: LeaseID, at time: Int64) throws(SQLError) {
    bind(id.notification, of: id.group, to: setExpiry)
    setExpiry.bind(time, at: 4)
    try setExpiry.run()
  }

  private func bind(
    _ notification: NotificationID,
    of group: Int64,
    to statement: any SQLStatement
  ) {
    statement.bind(group, at: 1)
    statement.bind(notification.channel, at: 2)
    statement.bind(notification.sequence, at: 3)
  }
}
