internal import TidingsModel
internal import TidingsSQL

/// Finds out which targets get which events: walks the log behind what it has done, and adds a delivery for each.
///
/// It is run when senders ask for work, so that the transaction of a change does nothing for targets.
final class DeliveryDispatch {
  /// Most subscribers of a channel that are looked at for targets; of others the targets are looked at.
  private static let membersMax: Int64 = 500
  /// Rows that are read or written at once.
  private static let stepsMax = 1_000

  /// Where an event belongs.
  private struct Source {
    let container: String
    let environment: Environment
    /// The only user who has it; `nil`: anyone may.
    let reader: String?
  }

  private struct LoggedEvent {
    let location: Int64
    let id: NotificationID
    let user: String
    let device: String
  }

  private let targets: TargetDirectory
  private let table: DeliveryTable
  private let memberships: MembershipTable
  private let limits: Limits
  private let selectProgress: any SQLStatement
  private let setProgress: any SQLStatement
  private let selectLast: any SQLStatement
  private let selectEvents: any SQLStatement
  private let selectSource: any SQLStatement
  private let selectMembers: any SQLStatement

  init(
    _ connection: any SQLConnection,
    targets: TargetDirectory,
    table: DeliveryTable,
    memberships: MembershipTable,
    limits: Limits
  ) throws {
    (self.targets, self.table, self.memberships) = (targets, table, memberships)
    self.limits = limits
    selectProgress = try connection.prepare(
      "SELECT event_id, target_id FROM delivery_progress WHERE id = 1"
    )
    setProgress = try connection.prepare(
      """
      INSERT INTO delivery_progress (id, event_id, target_id) VALUES (1, ?1, ?2)
      ON CONFLICT (id) DO UPDATE SET event_id = excluded.event_id, target_id = excluded.target_id
      """
    )
    selectLast = try connection.prepare("SELECT max(id) FROM events")
    selectEvents = try connection.prepare(
      """
      SELECT id, channel_id, sequence, origin_user, origin_device FROM events
      WHERE id > ?1 ORDER BY id LIMIT ?2
      """
    )
    selectSource = try connection.prepare(
      """
      SELECT d.container, d.environment, d.scope, d.owner, c.reader
      FROM channels c JOIN databases d ON d.id = c.database_id WHERE c.id = ?1
      """
    )
    // A condition for each partial index.
    selectMembers = try connection.prepare(
      """
      SELECT owner FROM subscriptions WHERE channel_id = ?1 AND ended IS NULL
      UNION SELECT owner FROM subscriptions
        WHERE channel_id = ?1 AND ended IS NOT NULL AND ended >= ?2
      LIMIT ?3
      """
    )
  }

  /// The newest event.
  func lastEvent() throws(SQLError) -> Int64 {
    defer { selectLast.reset() }
    return try selectLast.step() && !selectLast.isNull(0) ? selectLast.int64(0) : 0
  }

  /// There were no targets until now: nobody gets what is in the log.
  func skipLog() throws(SQLError) { try keep(try lastEvent(), target: 0) }

  /// Adds the deliveries of a piece of the log.
  ///
  /// - Returns: There may be more.
  /// - Throws: `SQLError`.
  func run(at moment: Moment) throws -> Bool {
    guard try targets.count > 0 else { return false }
    let (start, lastTarget) = try progress()
    var reached = start
    var walk = Walk(moment: moment)
    let events = try self.events(after: start)
    for event in events {
      // The event in which the piece before stopped may be gone.
      let target = event.location == start + 1 ? lastTarget : 0
      if let stop = try dispatch(event, after: target, &walk) {
        try keep(event.location - 1, target: stop)
        return true
      }
      reached = event.location
      if walk.steps >= Self.stepsMax { break }
    }
    if reached > start { try keep(reached, target: 0) }
    return events.last.map { reached < $0.location } ?? false || events.count == Self.stepsMax
  }

  /// What a piece of the walk knows and has done.
  private struct Walk {
    let moment: Moment
    var steps = 0
    var sources: [Int64: Source?] = [:]
    /// How many deliveries wait, of targets that came by.
    var waiting: [Int64: Int] = [:]
    /// How many dead letters there are, of targets that have too much.
    var dead: [Int64: Int] = [:]
  }

  /// - Returns: The last target that was looked at, if there are more; `nil`: that was all.
  private func dispatch(
    _ event: LoggedEvent,
    after target: Int64,
    _ walk: inout Walk
  ) throws -> Int64? {
    walk.steps += 1
    guard let source = try source(of: event.id.channel, &walk) else { return nil }
    if let reader = source.reader {
      try add(event, to: inbox(of: reader, source), after: target, &walk)
      return nil
    }
    let members = try members(of: event.id)
    if members.count <= Self.membersMax {
      // The other way, from which subscribers may have left since, looks at targets in the same order.
      for member in members { try add(event, to: inbox(of: member, source), after: target, &walk) }
      return nil
    }
    let candidates = try targets.targets(in: source.container, source.environment, after: target)
    for case let candidate? in candidates {
      walk.steps += 1
      try add(event, to: candidate, &walk)
      if walk.steps >= Self.stepsMax { return candidate.id }
    }
    return nil
  }

  private func inbox(of user: String, _ source: Source) -> Inbox {
    Inbox(user: user, container: source.container, environment: source.environment)
  }

  private func add(
    _ event: LoggedEvent,
    to inbox: Inbox,
    after target: Int64,
    _ walk: inout Walk
  ) throws {
    for candidate in try targets.targets(of: inbox) where candidate.id > target {
      walk.steps += 1
      try add(event, to: candidate, &walk)
    }
  }

  private func add(
    _ event: LoggedEvent,
    to target: TargetDirectory.Entry,
    _ walk: inout Walk
  ) throws {
    let isOwn = event.user == target.inbox.user && event.device == target.device
    guard target.since < event.location, !isOwn,
      try memberships.subscriptionID(of: event.id, in: target.inbox) != nil
    else { return }
    let max = limits.deliveriesPerTargetMax
    let waiting = try walk.waiting[target.id] ?? table.waitingCount(of: target.id, upTo: max)
    let id = try table.insert(event.id, to: target.id, at: walk.moment)
    guard waiting < max else {
      try makeRoom(ofDeadLettersOf: target.id, &walk)
      return try table.giveUp(
        id,
        "\(max) deliveries waited for the target",
        attempts: 0,
        at: walk.moment.timeOfDay
      )
    }
    walk.waiting[target.id] = waiting + 1
  }

  /// The oldest dead letter goes if there are as many as may be.
  private func makeRoom(ofDeadLettersOf target: Int64, _ walk: inout Walk) throws {
    let max = limits.deadLettersPerTargetMax
    let count = try walk.dead[target] ?? table.deadCount(of: target, upTo: max)
    walk.dead[target] = min(count + 1, max)
    if count >= max, let oldest = try table.oldestDead(of: target) { try table.delete(oldest) }
  }

  // MARK: Reading

  private func events(after location: Int64) throws -> [LoggedEvent] {
    var events: [LoggedEvent] = []
    selectEvents.bind(location, at: 1)
    selectEvents.bind(Int64(Self.stepsMax), at: 2)
    try selectEvents.forEachRow {
      events.append(
        LoggedEvent(
          location: selectEvents.int64(0),
          id: NotificationID(channel: selectEvents.int64(1), sequence: selectEvents.int64(2)),
          user: selectEvents.string(3),
          device: selectEvents.string(4)
        )
      )
    }
    return events
  }

  private func source(of channel: Int64, _ walk: inout Walk) throws -> Source? {
    if let known = walk.sources[channel] { return known }
    let source = try readSource(of: channel)
    walk.sources[channel] = .some(source)
    return source
  }

  private func readSource(of channel: Int64) throws -> Source? {
    selectSource.bind(channel, at: 1)
    defer { selectSource.reset() }
    guard try selectSource.step(),
      let environment = Environment(rawValue: Int32(truncatingIfNeeded: selectSource.int64(1)))
    else { return nil }
    let isPublic = selectSource.int64(2) == Int64(DatabaseScope.public.rawValue)
    let reader = isPublic ? selectSource.string(4) : selectSource.string(3)
    return Source(
      container: selectSource.string(0),
      environment: environment,
      reader: reader.isEmpty ? nil : reader
    )
  }

  private func members(of id: NotificationID) throws -> [String] {
    var members: [String] = []
    selectMembers.bind(id.channel, at: 1)
    selectMembers.bind(id.sequence, at: 2)
    selectMembers.bind(Self.membersMax + 1, at: 3)
    try selectMembers.forEachRow { members.append(selectMembers.string(0)) }
    return members
  }

  private func progress() throws(SQLError) -> (event: Int64, target: Int64) {
    defer { selectProgress.reset() }
    return try selectProgress.step()
      ? (selectProgress.int64(0), selectProgress.int64(1)) : (0, 0)
  }

  private func keep(_ event: Int64, target: Int64) throws(SQLError) {
    setProgress.bind(event, at: 1)
    setProgress.bind(target, at: 2)
    try setProgress.run()
  }
}
