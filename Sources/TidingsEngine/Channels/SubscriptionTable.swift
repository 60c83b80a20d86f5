internal import TidingsModel
internal import TidingsSQL

/// The rows of subscriptions: those that are active, and those that have ended and still show which
/// events their owner may read.
final class SubscriptionTable {
  /// What a user's feed needs to know of one subscription.
  struct Membership {
    var channel: Int64
    var subscriptionID: String
    /// Events after this number belong to the subscription.
    var since: Int64
    /// The last event that does; `nil` while it is active.
    var ended: Int64?
  }

  /// An active subscription.
  struct Row {
    var number: Int64
    var channel: Int64
    var since: Int64
    var body: [UInt8]
  }

  /// What a user's subscriptions in a container take.
  struct Owned {
    /// The active ones.
    var count: Int64
    /// Of the active ones.
    var bytes: Int64
    /// Those that have ended, and of which something is kept.
    var endedCount: Int64
  }

  private struct OwnerKey: Hashable {
    var owner: String
    /// `nil`: all containers, in both environments.
    var container: String?
    var environment: Environment?
  }

  /// Users of whom this is known without looking.
  private static let knownOwnersMax = 1_000

  /// What was counted, and then noted.
  private struct Count {
    var owned: Owned
    /// `endsNotNoted` at the time.
    let endsNotNoted: Int
    let time: SteadyTime
  }

  /// Milliseconds after which ends that were not noted, and ended subscriptions that were forgotten, are worth another
  /// look.
  private static let countAge: Int64 = 1_000

  private var counts: [OwnerKey: Count] = [:]
  /// How often subscriptions have ended without being noted with their users.
  private var endsNotNoted = 0
  private var now = SteadyTime(milliseconds: 0)
  private let usage: UsageTable
  private let selectOne: any SQLStatement
  private let selectNames: any SQLStatement
  private let selectMembers: any SQLStatement
  private let selectByChannel: any SQLStatement
  private let selectTopics: any SQLStatement
  private let countOwned: any SQLStatement
  private let countEnded: any SQLStatement
  private let countAll: any SQLStatement
  private let insert: any SQLStatement
  private let end: any SQLStatement
  private let endStale: any SQLStatement

  init(_ connection: any SQLConnection, usage: UsageTable) throws {
    self.usage = usage
    // A channel that fires once may have closed before the rows of its subscriptions say so.
    let active = "s.ended IS NULL AND s.since >= c.closed"
    let from = "FROM subscriptions s JOIN channels c ON c.id = s.channel_id"
    selectOne = try connection.prepare(
      """
      SELECT s.id, s.channel_id, s.since, s.body \(from)
      WHERE s.owner = ?1 AND s.database_id = ?2 AND s.subscription_id = ?3 AND \(active)
      """
    )
    selectNames = try connection.prepare(
      """
      SELECT s.subscription_id \(from)
      WHERE s.owner = ?1 AND s.database_id = ?2 AND \(active) ORDER BY s.subscription_id
      """
    )
    selectMembers = try connection.prepare(
      """
      SELECT s.id, s.channel_id, s.since, s.body, s.owner, s.subscription_id, s.saved,
        s.saved_nanos \(from)
      WHERE s.channel_id = ?1 AND \(active) LIMIT ?2
      """
    )
    selectByChannel = try connection.prepare(
      """
      SELECT s.subscription_id \(from)
      WHERE s.channel_id = ?1 AND s.owner = ?2 AND \(active)
      """
    )
    selectTopics = try connection.prepare(
      """
      SELECT s.channel_id, s.subscription_id, c.topic \(from)
      WHERE s.owner = ?1 AND s.container = ?2 AND s.environment = ?3 AND \(active)
      ORDER BY s.channel_id
      """
    )
    countOwned = try connection.prepare(
      """
      SELECT count(*), coalesce(sum(length(s.body)), 0) \(from)
      WHERE s.owner = ?1 AND s.container = ?2 AND s.environment = ?3 AND \(active)
      """
    )
    countAll = try connection.prepare(
      """
      SELECT count(*), coalesce(sum(length(s.body)), 0) \(from) WHERE s.owner = ?1 AND \(active)
      """
    )
    countEnded = try connection.prepare(
      """
      SELECT count(*) FROM subscriptions
      WHERE owner = ?1 AND container = ?2 AND environment = ?3 AND ended IS NOT NULL
      """
    )
    endStale = try connection.prepare(
      """
      UPDATE subscriptions SET ended = since + 1
      WHERE owner = ?1 AND database_id = ?2 AND subscription_id = ?3 AND ended IS NULL
      """
    )
    insert = try connection.prepare(
      """
      INSERT INTO subscriptions
        (container, environment, owner, database_id, subscription_id, channel_id, since, body,
          saved, saved_nanos)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """
    )
    end = try connection.prepare("UPDATE subscriptions SET ended = ?2 WHERE id = ?1")
  }

  /// A user's active subscription by its name.
  func row(
    _ subscriptionID: String,
    of owner: String,
    in database: DatabaseEntry
  )
    throws(SQLError) -> Row?
  {
    selectOne.bind(owner, at: 1)
    selectOne.bind(database.number, at: 2)
    selectOne.bind(subscriptionID, at: 3)
    defer { selectOne.reset() }
    guard try selectOne.step() else { return nil }
    return Row(
      number: selectOne.int64(0),
      channel: selectOne.int64(1),
      since: selectOne.int64(2),
      body: selectOne.bytes(3)
    )
  }

  /// The names of a user's active subscriptions, sorted.
  func names(of owner: String, in database: DatabaseEntry, pace: Pace) throws -> [String] {
    var names: [String] = []
    selectNames.bind(owner, at: 1)
    selectNames.bind(database.number, at: 2)
    try selectNames.forEachRow {
      names.append(selectNames.string(0))
      try pace.decisionStep()
    }
    return names
  }

  /// An active subscription of a channel, whosever it is.
  struct Member {
    var row: Row
    var owner: String
    var subscriptionID: String
    var saved: Timestamp
  }

  /// Active subscriptions of a channel, as many as a limit.
  func members(of channel: Int64, limit: Int) throws -> [Member] {
    var members: [Member] = []
    selectMembers.bind(channel, at: 1)
    selectMembers.bind(Int64(limit), at: 2)
    try selectMembers.forEachRow {
      members.append(
        Member(
          row: Row(
            number: selectMembers.int64(0),
            channel: selectMembers.int64(1),
            since: selectMembers.int64(2),
            body: selectMembers.bytes(3)
          ),
          owner: selectMembers.string(4),
          subscriptionID: selectMembers.string(5),
          saved: selectMembers.time(6, nanos: 7)
        )
      )
    }
    return members
  }

  /// The name of a user's active subscription to a channel.
  func name(in channel: Int64, of owner: String) throws(SQLError) -> String? {
    selectByChannel.bind(channel, at: 1)
    selectByChannel.bind(owner, at: 2)
    defer { selectByChannel.reset() }
    return try selectByChannel.step() ? selectByChannel.string(0) : nil
  }

  /// The channels of a user's active subscriptions in a container, with their topics, by number.
  func topics(
    of owner: String,
    container: String,
    environment: Environment,
    pace: Pace
  ) throws -> [(channel: Int64, subscriptionID: String, topic: [UInt8])] {
    var topics: [(channel: Int64, subscriptionID: String, topic: [UInt8])] = []
    bind(owner, container, environment, to: selectTopics)
    try selectTopics.forEachRow {
      topics.append((selectTopics.int64(0), selectTopics.string(1), selectTopics.bytes(2)))
      try pace.decisionStep()
    }
    return topics
  }

  /// What a user's subscriptions in a container take; those that fired for the only time, and those of which nothing
  /// is kept any more, may count still: see `mayHaveFewer`.
  func owned(
    of owner: String,
    container: String,
    environment: Environment
  ) throws(SQLError) -> Owned {
    let key = OwnerKey(owner: owner, container: container, environment: environment)
    if let known = known(key) { return known }
    for statement in [countOwned, countEnded] {
      bind(owner, container, environment, to: statement)
    }
    defer {
      countOwned.reset()
      countEnded.reset()
    }
    guard try countOwned.step(), try countEnded.step() else {
      return Owned(count: 0, bytes: 0, endedCount: 0)
    }
    let found = Owned(
      count: countOwned.int64(0),
      bytes: countOwned.int64(1),
      endedCount: countEnded.int64(0)
    )
    remember(found, key)
    return found
  }

  /// What a user's subscriptions in all containers take, the ended ones aside; see `owned(of:container:environment:)`.
  func owned(of owner: String) throws(SQLError) -> Owned {
    let key = OwnerKey(owner: owner)
    if let known = known(key) { return known }
    countAll.bind(owner, at: 1)
    defer { countAll.reset() }
    guard try countAll.step() else { return Owned(count: 0, bytes: 0, endedCount: 0) }
    let found = Owned(count: countAll.int64(0), bytes: countAll.int64(1), endedCount: 0)
    remember(found, key)
    return found
  }

  private func known(_ key: OwnerKey) -> Owned? {
    guard let known = counts[key], known.endsNotNoted == endsNotNoted || !isOld(known) else {
      return nil
    }
    return known.owned
  }

  private func remember(_ owned: Owned, _ key: OwnerKey) {
    if counts.count >= Self.knownOwnersMax { counts = [:] }
    counts[key] = Count(owned: owned, endsNotNoted: endsNotNoted, time: now)
  }

  /// Looks again at what users' subscriptions take.
  func forgetOwned() { if !counts.isEmpty { counts = [:] } }

  /// Subscriptions have ended, whosever they were.
  func noteEnds() { endsNotNoted += 1 }

  /// Whether a user's subscriptions in a container may take less than `owned` says: then the next look counts them.
  func mayHaveFewer(of owner: String, container: String, environment: Environment) -> Bool {
    let key = OwnerKey(owner: owner, container: container, environment: environment)
    guard let known = counts[key] else { return false }
    guard isOld(known) || known.endsNotNoted != endsNotNoted else { return false }
    counts[key] = nil
    counts[OwnerKey(owner: owner)] = nil
    return true
  }

  private func isOld(_ count: Count) -> Bool {
    now.milliseconds - count.time.milliseconds >= Self.countAge
  }

  private func note(_ count: Int64, _ bytes: Int, of owner: String, in id: DatabaseID) {
    let key = OwnerKey(owner: owner, container: id.container, environment: id.environment)
    for key in [key, OwnerKey(owner: owner)] {
      counts[key]?.owned.count += count
      counts[key]?.owned.bytes += count * Int64(bytes)
      if count < 0 { counts[key]?.owned.endedCount -= count }
    }
  }

  /// Writes a new active subscription; one of the same name is active no longer.
  func insert(
    _ subscriptionID: String,
    of owner: String,
    in database: DatabaseEntry,
    channel: Int64,
    since: Int64,
    body: [UInt8],
    at time: Timestamp
  ) throws(SQLError) {
    endStale.bind(owner, at: 1)
    endStale.bind(database.number, at: 2)
    endStale.bind(subscriptionID, at: 3)
    try endStale.run()
    bind(owner: owner, in: database)
    insert.bind(database.number, at: 4)
    insert.bind(subscriptionID, at: 5)
    insert.bind(channel, at: 6)
    insert.bind(since, at: 7)
    insert.bind(body, at: 8)
    insert.bind(time, at: 9, nanos: 10)
    try insert.run()
    let cost = StorageCost.subscription(body: body.count)
    try usage.add(cost, to: owner, in: database.id.container)
    note(1, body.count, of: owner, in: database.id)
  }

  /// Ends a subscription: it keeps its events up to a number.
  func end(_ row: Row, at sequence: Int64) throws(SQLError) {
    try write(end: sequence, of: row)
    forgetOwned()
  }

  /// Ends a subscription of a user.
  func end(
    _ row: Row,
    at sequence: Int64,
    of owner: String,
    in database: DatabaseEntry
  ) throws(SQLError) {
    try write(end: sequence, of: row)
    note(-1, row.body.count, of: owner, in: database.id)
  }

  private func write(end sequence: Int64, of row: Row) throws(SQLError) {
    end.bind(row.number, at: 1)
    end.bind(sequence, at: 2)
    try end.run()
  }

  private func bind(
    _ owner: String,
    _ container: String,
    _ environment: Environment,
    to statement: any SQLStatement
  ) {
    statement.bind(owner, at: 1)
    statement.bind(container, at: 2)
    statement.bind(Int64(environment.rawValue), at: 3)
  }

  private func bind(owner: String, in database: DatabaseEntry) {
    insert.bind(database.id.container, at: 1)
    insert.bind(Int64(database.id.environment.rawValue), at: 2)
    insert.bind(owner, at: 3)
  }
}

extension SubscriptionTable: TransactionParticipant {
  func begin(at moment: Moment) { now = moment.steady }
  func reload() { forgetOwned() }
}
