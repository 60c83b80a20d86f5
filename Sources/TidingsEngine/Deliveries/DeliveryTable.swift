internal import TidingsModel
internal import TidingsSQL

/// The rows of deliveries: those that wait, and dead letters.
final class DeliveryTable {
  /// A delivery as it is stored.
  struct Row {
    let id: Int64
    let target: Int64
    /// `nil`: a test.
    let notification: NotificationID?
    let attempts: Int64
    let created: Timestamp
    var givenUp: Timestamp?
    var reason = ""
  }

  private static let columns = """
    id, target_id, channel_id, sequence, attempts, created, created_nanos, given_up, given_up_nanos,
      reason
    """

  private let insert: any SQLStatement
  private let selectDue: any SQLStatement
  private let selectNextDue: any SQLStatement
  private let setLease: any SQLStatement
  private let selectLeased: any SQLStatement
  private let postpone: any SQLStatement
  private let giveUp: any SQLStatement
  private let delete: any SQLStatement
  private let deleteOfTarget: any SQLStatement
  private let countWaiting: any SQLStatement
  private let countDead: any SQLStatement
  private let selectDead: any SQLStatement
  private let selectOldestDead: any SQLStatement
  private let selectRow: any SQLStatement
  private let resend: any SQLStatement
  private let deleteOld: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    insert = try connection.prepare(
      """
      INSERT INTO deliveries (target_id, channel_id, sequence, due, created, created_nanos)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id
      """
    )
    selectDue = try connection.prepare(
      """
      SELECT \(Self.columns) FROM deliveries WHERE given_up IS NULL AND due <= ?1
      ORDER BY due, id LIMIT ?2
      """
    )
    selectNextDue = try connection.prepare(
      "SELECT due FROM deliveries WHERE given_up IS NULL ORDER BY due LIMIT 1"
    )
    setLease = try connection.prepare("UPDATE deliveries SET due = ?2, lease = ?3 WHERE id = ?1")
    selectLeased = try connection.prepare(
      """
      SELECT \(Self.columns) FROM deliveries WHERE id = ?1 AND lease = ?2 AND given_up IS NULL
      """
    )
    postpone = try connection.prepare(
      "UPDATE deliveries SET due = ?2, attempts = ?3, lease = 0 WHERE id = ?1"
    )
    giveUp = try connection.prepare(
      """
      UPDATE deliveries SET given_up = ?2, given_up_nanos = ?3, reason = ?4, attempts = ?5, lease = 0
      WHERE id = ?1
      """
    )
    delete = try connection.prepare("DELETE FROM deliveries WHERE id = ?1")
    deleteOfTarget = try connection.prepare("DELETE FROM deliveries WHERE target_id = ?1")
    countWaiting = try connection.prepare(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM deliveries WHERE target_id = ?1 AND given_up IS NULL LIMIT ?2
      ) AS waiting
      """
    )
    countDead = try connection.prepare(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM deliveries WHERE target_id = ?1 AND given_up IS NOT NULL LIMIT ?2
      ) AS dead
      """
    )
    selectDead = try connection.prepare(
      """
      SELECT \(Self.columns) FROM deliveries
      WHERE target_id = ?1 AND given_up IS NOT NULL AND id > ?2 ORDER BY id LIMIT ?3
      """
    )
    selectOldestDead = try connection.prepare(
      """
      SELECT id FROM deliveries WHERE target_id = ?1 AND given_up IS NOT NULL ORDER BY id LIMIT 1
      """
    )
    selectRow = try connection.prepare("SELECT \(Self.columns) FROM deliveries WHERE id = ?1")
    resend = try connection.prepare(
      """
      UPDATE deliveries SET due = ?2, attempts = 0, lease = 0, given_up = NULL, reason = ''
      WHERE id = ?1
      """
    )
    deleteOld = try connection.prepare(
      """
      DELETE FROM deliveries WHERE id IN (
        SELECT id FROM deliveries WHERE given_up IS NOT NULL AND given_up < ?1 ORDER BY given_up LIMIT ?2
      ) RETURNING 1
      """
    )
  }

  /// Adds a delivery that is due.
  func insert(
    _ notification: NotificationID?,
    to target: Int64,
    at moment: Moment
  ) throws(SQLError) -> Int64 {
    insert.bind(target, at: 1)
    insert.bind(notification?.channel ?? 0, at: 2)
    insert.bind(notification?.sequence ?? 0, at: 3)
    insert.bind(moment.steady.milliseconds, at: 4)
    insert.bind(moment.timeOfDay, at: 5, nanos: 6)
    defer { insert.reset() }
    _ = try insert.step()
    return insert.int64(0)
  }

  /// Those that are due, the longest first.
  func due(at now: SteadyTime, limit: Int) throws -> [Row] {
    selectDue.bind(now.milliseconds, at: 1)
    selectDue.bind(Int64(limit), at: 2)
    return try rows(selectDue)
  }

  /// How long until the next one is due; `nil`: none waits.
  func nextDue(after now: SteadyTime) throws(SQLError) -> Duration? {
    defer { selectNextDue.reset() }
    guard try selectNextDue.step() else { return nil }
    return .milliseconds(max(0, selectNextDue.int64(0) - now.milliseconds))
  }

  func lease(_ id: Int64, as number: Int64, until end: SteadyTime) throws(SQLError) {
    setLease.bind(id, at: 1)
    setLease.bind(end.milliseconds, at: 2)
    setLease.bind(number, at: 3)
    try setLease.run()
  }

  /// What is leased; `nil`: the lease has ended.
  func leased(_ id: Int64, as number: Int64) throws -> Row? {
    selectLeased.bind(id, at: 1)
    selectLeased.bind(number, at: 2)
    return try rows(selectLeased).first
  }

  func postpone(_ id: Int64, until due: SteadyTime, attempts: Int64) throws(SQLError) {
    postpone.bind(id, at: 1)
    postpone.bind(due.milliseconds, at: 2)
    postpone.bind(attempts, at: 3)
    try postpone.run()
  }

  func giveUp(
    _ id: Int64,
    _ reason: String,
    attempts: Int64,
    at now: Timestamp
  ) throws(SQLError) {
    giveUp.bind(id, at: 1)
    giveUp.bind(now, at: 2, nanos: 3)
    giveUp.bind(reason, at: 4)
    giveUp.bind(attempts, at: 5)
    try giveUp.run()
  }

  func delete(_ id: Int64) throws(SQLError) {
    delete.bind(id, at: 1)
    try delete.run()
  }

  func deleteAll(of target: Int64) throws(SQLError) {
    deleteOfTarget.bind(target, at: 1)
    try deleteOfTarget.run()
  }

  func waitingCount(of target: Int64, upTo limit: Int) throws(SQLError) -> Int {
    try count(countWaiting, target, limit)
  }

  func deadCount(of target: Int64, upTo limit: Int) throws(SQLError) -> Int {
    try count(countDead, target, limit)
  }

  /// Dead letters of a target behind one, oldest first.
  func dead(of target: Int64, after id: Int64, limit: Int) throws -> [Row] {
    selectDead.bind(target, at: 1)
    selectDead.bind(id, at: 2)
    selectDead.bind(Int64(limit), at: 3)
    return try rows(selectDead)
  }

  func oldestDead(of target: Int64) throws(SQLError) -> Int64? {
    selectOldestDead.bind(target, at: 1)
    defer { selectOldestDead.reset() }
    return try selectOldestDead.step() ? selectOldestDead.int64(0) : nil
  }

  func row(_ id: Int64) throws -> Row? {
    selectRow.bind(id, at: 1)
    return try rows(selectRow).first
  }

  /// A dead letter is due again.
  func resend(_ id: Int64, at now: SteadyTime) throws(SQLError) {
    resend.bind(id, at: 1)
    resend.bind(now.milliseconds, at: 2)
    try resend.run()
  }

  /// Removes a piece of the dead letters that are older than a time.
  func deleteDead(before time: Timestamp, limit: Int64) throws -> Int64 {
    deleteOld.bind(time.millisecondsSince1970, at: 1)
    deleteOld.bind(limit, at: 2)
    var count: Int64 = 0
    try deleteOld.forEachRow { count += 1 }
    return count
  }

  private func count(
    _ statement: any SQLStatement,
    _ target: Int64,
    _ limit: Int
  ) throws(SQLError) -> Int {
    statement.bind(target, at: 1)
    statement.bind(Int64(limit), at: 2)
    defer { statement.reset() }
    return try statement.step() ? Int(statement.int64(0)) : 0
  }

  private func rows(_ statement: any SQLStatement) throws -> [Row] {
    var rows: [Row] = []
    try statement.forEachRow {
      let channel = statement.int64(2)
      rows.append(
        Row(
          id: statement.int64(0),
          target: statement.int64(1),
          notification: channel == 0
            ? nil : NotificationID(channel: channel, sequence: statement.int64(3)),
          attempts: statement.int64(4),
          created: statement.time(5, nanos: 6),
          givenUp: statement.timestamp(7, nanos: 8),
          reason: statement.string(9)
        )
      )
    }
    return rows
  }
}
