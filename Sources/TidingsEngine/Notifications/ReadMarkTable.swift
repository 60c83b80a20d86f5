internal import TidingsModel
internal import TidingsSQL

/// Writes which notifications their users have read, and collects what to report to devices.
final class ReadMarkTable: TransactionParticipant {
  private let memberships: MembershipTable
  private let insert: any SQLStatement
  private let selectNewest: any SQLStatement
  private let selectLast: any SQLStatement
  private let selectEvent: any SQLStatement
  /// The number of the newest mark of all users.
  private var lastID: Int64 = 0
  /// What was marked since the last commit.
  private var pending: [StoredReadMarks] = []
  /// The newest mark of a user among them, and its place.
  private var newestPending: [Inbox: Int] = [:]

  init(_ connection: any SQLConnection, memberships: MembershipTable) throws {
    self.memberships = memberships
    insert = try connection.prepare(
      """
      INSERT INTO read_marks
        (id, owner, container, environment, channel_id, sequence, device, marked, marked_nanos)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      ON CONFLICT (owner, channel_id, sequence) DO NOTHING RETURNING id
      """
    )
    selectNewest = try connection.prepare(
      """
      SELECT id FROM read_marks
      WHERE owner = ?1 AND container = ?2 AND environment = ?3 ORDER BY id DESC LIMIT 1
      """
    )
    selectLast = try connection.prepare("SELECT id FROM read_marks ORDER BY id DESC LIMIT 1")
    selectEvent = try connection.prepare(
      "SELECT 1 FROM events WHERE channel_id = ?1 AND sequence = ?2"
    )
    try reload()
  }

  // MARK: Transactions

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    guard !pending.isEmpty else { return }
    swap(&pending, &transaction.readMarks)
    newestPending.removeAll(keepingCapacity: true)
  }

  func didRollback() {
    pending.removeAll(keepingCapacity: true)
    newestPending.removeAll(keepingCapacity: true)
  }

  func reload() throws(SQLError) {
    defer { selectLast.reset() }
    lastID = try selectLast.step() ? selectLast.int64(0) : 0
  }

  /// Marks a notification read, for all devices of the user; again changes nothing.
  ///
  /// - Parameters:
  ///   - id: Which one.
  ///   - inbox: Whose.
  ///   - device: The device that marks it; empty: it sent no name.
  ///   - time: When.
  /// - Throws: `ItemError` `unknownItem` when the user has no such notification; `SQLError`.
  func mark(_ id: NotificationID, in inbox: Inbox, by device: String, at time: Timestamp) throws {
    guard try memberships.subscriptionID(of: id, in: inbox) != nil, try exists(id) else {
      throw ItemError(.unknownItem, "notification '\(id)' does not exist")
    }
    let previous = try newestPending[inbox].map { pending[$0].last } ?? newest(of: inbox)
    insert.bind(lastID + 1, at: 1)
    inbox.bind(to: insert, from: 2)
    insert.bind(id.channel, at: 5)
    insert.bind(id.sequence, at: 6)
    insert.bind(device, at: 7)
    insert.bind(time, at: 8, nanos: 9)
    defer { insert.reset() }
    guard try insert.step() else { return }
    lastID += 1
    note(id, in: inbox, by: device, after: previous)
  }

  /// The number of a user's newest mark; 0: there is none.
  func newest(of inbox: Inbox) throws(SQLError) -> Int64 {
    inbox.bind(to: selectNewest)
    defer { selectNewest.reset() }
    return try selectNewest.step() ? selectNewest.int64(0) : 0
  }

  /// What one device marked in succession is reported together.
  private func note(
    _ id: NotificationID,
    in inbox: Inbox,
    by device: String,
    after previous: Int64
  ) {
    if let location = newestPending[inbox], pending[location].device == device {
      pending[location].last = lastID
      pending[location].ids.append(id)
      return
    }
    newestPending[inbox] = pending.count
    pending.append(
      StoredReadMarks(
        owner: inbox.user,
        container: inbox.container,
        environment: inbox.environment,
        device: device,
        previous: previous,
        last: lastID,
        ids: [id]
      )
    )
  }

  private func exists(_ id: NotificationID) throws(SQLError) -> Bool {
    selectEvent.bind(id.channel, at: 1)
    selectEvent.bind(id.sequence, at: 2)
    defer { selectEvent.reset() }
    return try selectEvent.step()
  }
}
