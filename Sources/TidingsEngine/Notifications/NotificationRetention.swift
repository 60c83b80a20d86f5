internal import TidingsModel
internal import TidingsSQL

/// Forgets notifications that are too old or too many, oldest first, with all that hangs on them, a few
/// at a time.
///
/// Each channel's floor rises in the same transaction, so that a token that would need what is
/// forgotten expires instead of skipping it. The newest event always stays, so that no number is assigned
/// twice.
final class NotificationRetention: MaintenanceTask {
  /// Most rows that one piece removes, about.
  private static let rowsMax = 300

  /// What is swept takes little room: there is time, and a start has other work.
  private static let firstSweep = Duration.seconds(600)
  private static let sweepPause = Duration.seconds(3600)

  private let limits: Limits
  private let usage: UsageTable
  private let catalog: Catalog
  private let trails: EventTrails
  private let sweep: ChannelSweep
  private let selectLast: any SQLStatement
  private let selectOldest: any SQLStatement
  private let delete: any SQLStatement
  private let selectContents: any SQLStatement
  private let deleteContent: any SQLStatement
  private let raise: any SQLStatement
  private var sweepDue: SteadyTime?

  private struct OldEvent {
    let location: Int64
    let id: NotificationID
    let committed: Int64
    let cost: Int64
    /// The number of the database whose owner pays; 0: it is not known.
    let database: Int64
  }

  init(
    _ connection: any SQLConnection,
    limits: Limits,
    usage: UsageTable,
    catalog: Catalog
  ) throws {
    self.limits = limits
    (self.usage, self.catalog) = (usage, catalog)
    let ended = try EndedSubscriptions(connection, usage: usage)
    trails = try EventTrails(connection, ended: ended, usage: usage)
    sweep = try ChannelSweep(connection, ended: ended)
    selectLast = try connection.prepare("SELECT id FROM events ORDER BY id DESC LIMIT 1")
    selectOldest = try connection.prepare(
      """
      SELECT e.id, e.channel_id, e.sequence, e.committed, length(e.body), length(e.origin_user),
        length(e.origin_device), c.database_id
      FROM events e LEFT JOIN channels c ON c.id = e.channel_id ORDER BY e.id LIMIT ?1
      """
    )
    selectContents = try connection.prepare(
      """
      SELECT id, database_id, length(body), last_event FROM event_contents ORDER BY id LIMIT ?1
      """
    )
    deleteContent = try connection.prepare("DELETE FROM event_contents WHERE id = ?1")
    delete = try connection.prepare("DELETE FROM events WHERE id = ?1")
    raise = try connection.prepare(
      "UPDATE channels SET floor = ?2, floor_event = ?3 WHERE id = ?1"
    )
  }

  func work(at moment: Moment) throws -> Duration {
    let now = moment.steady
    if try forgetEvents(at: now) { return .zero }
    let isHasty = limits.notificationRetentionDays == 0
    let due = sweepDue ?? (isHasty ? now : now.advanced(by: Self.firstSweep))
    sweepDue = due
    if due <= now {
      if try sweep.work(rowsMax: Self.rowsMax) { return .zero }
      sweepDue = now.advanced(by: isHasty ? .seconds(1) : Self.sweepPause)
    }
    return isHasty ? .seconds(1) : .seconds(5)
  }

  /// Forgets a piece of what is too old.
  ///
  /// - Returns: There may be more.
  private func forgetEvents(at now: SteadyTime) throws -> Bool {
    let last = try lastLocation()
    let oldest = now.earlier(byHours: limits.notificationRetentionDays * 24).milliseconds
    var floors: [Int64: OldEvent] = [:]
    var rows = 0
    var mayBeMore = false
    let events = try oldestEvents()
    for event in events {
      let isTooOld = event.committed < oldest
      let isTooMany = event.location <= last - Int64(limits.notificationsMax)
      guard event.location < last, isTooOld || isTooMany else { break }
      // What hangs on an event goes first: it may take several pieces.
      rows += try trails.remove(event.id, at: event.location, rowsMax: Self.rowsMax - rows)
      mayBeMore = rows >= Self.rowsMax
      guard !mayBeMore else { break }
      delete.bind(event.location, at: 1)
      try delete.run()
      try pay(event.cost, inDatabase: event.database)
      rows += Self.rows(of: event.cost)
      floors[event.id.channel] = event
      mayBeMore = true
    }
    for event in floors.values {
      raise.bind(event.id.channel, at: 1)
      raise.bind(event.id.sequence, at: 2)
      raise.bind(event.location, at: 3)
      try raise.run()
    }
    let newest = floors.values.lazy.map(\.location).max()
    let forgotten = newest ?? (events.first?.location ?? last + 1) - 1
    // Large ones take more pieces than the events that carried them.
    let mayBeMoreContents = try forgetContents(upTo: forgotten)
    return mayBeMore || mayBeMoreContents
  }

  /// Forgets a piece of what was carried by events that are all forgotten.
  ///
  /// - Returns: There may be more.
  private func forgetContents(upTo location: Int64) throws -> Bool {
    var contents: [(number: Int64, database: Int64, cost: Int64)] = []
    selectContents.bind(Int64(Self.rowsMax), at: 1)
    try selectContents.forEachRow {
      guard selectContents.int64(3) <= location else { return }
      contents.append(
        (
          selectContents.int64(0), selectContents.int64(1),
          StorageCost.event(body: Int(selectContents.int64(2)), user: 0, device: 0)
        )
      )
    }
    var rows = 0
    for content in contents where rows < Self.rowsMax {
      rows += Self.rows(of: content.cost)
      deleteContent.bind(content.number, at: 1)
      try deleteContent.run()
      try pay(content.cost, inDatabase: content.database)
    }
    return rows >= Self.rowsMax
  }

  /// What is removed with an event, in pages of the store.
  private static func rows(of cost: Int64) -> Int { 1 + Int(clamping: cost / 4_096) }

  private func pay(_ cost: Int64, inDatabase number: Int64) throws {
    guard number != 0 else { return }
    try usage.add(-cost, to: catalog.database(numbered: number))
  }

  private func oldestEvents() throws -> [OldEvent] {
    var events: [OldEvent] = []
    selectOldest.bind(Int64(Self.rowsMax), at: 1)
    try selectOldest.forEachRow {
      events.append(
        OldEvent(
          location: selectOldest.int64(0),
          id: NotificationID(channel: selectOldest.int64(1), sequence: selectOldest.int64(2)),
          committed: selectOldest.int64(3),
          cost: StorageCost.event(
            body: Int(selectOldest.int64(4)),
            user: Int(selectOldest.int64(5)),
            device: Int(selectOldest.int64(6))
          ),
          database: selectOldest.isNull(7) ? 0 : selectOldest.int64(7)
        )
      )
    }
    return events
  }

  private func lastLocation() throws(SQLError) -> Int64 {
    defer { selectLast.reset() }
    return try selectLast.step() ? selectLast.int64(0) : 0
  }
}
