internal import EngineTestSupport
internal import TestSupport
internal import TidingsCodec
import TidingsMemory
internal import TidingsModel
internal import TidingsSQL

@testable internal import TidingsEngine

/// A store whose rows tests write themselves, and the feed over it.
final class FeedStore {
  /// An event, and where it stands.
  struct StoredEvent {
    var channel: Int64
    var sequence: Int64
    var committed: Int64
    /// The place of the first event of the same call; `nil`: it is the call's only event.
    var batch: Int64?
    var origin = Caller(user: "bob", device: "phone")
    var body: [UInt8]
  }

  /// A subscription of ada's to a channel, as the store keeps it.
  struct StoredRange {
    var channel: Int64
    var name: String
    var since: Int64
    var ended: Int64?
  }

  static let laptop = Caller(user: "ada", device: "laptop")
  private static let database = DatabaseID(
    container: "default",
    environment: .development,
    scope: .private,
    owner: "ada"
  )

  let connection: any SQLConnection
  private let codec = BodyCodec()
  /// Every subscription is this one.
  private let definition: [UInt8]
  /// What its definition says of each event.
  private let source: [UInt8]
  private let insertChannel: any SQLStatement
  private let insertRange: any SQLStatement
  private let insertEvent: any SQLStatement
  private let insertMark: any SQLStatement

  init() throws {
    connection = try TestDatabase().connect()
    try connection.migrate(Migration.store)
    var info = NotificationInfo()
    info.shouldBadge = true
    let subscription = Subscription(
      subscriptionID: "any",
      recordType: "Any",
      predicate: .true,
      options: [.recordCreation],
      notificationInfo: info
    )
    definition = codec.encode(subscription)
    source = codec.encode(EventSource(of: subscription, in: Self.database))
    insertChannel = try connection.prepare(
      """
      INSERT INTO channels (id, database_id, definition_key, topic, head, definition)
      VALUES (?1, 1, ?2, ?2, ?3, ?4) ON CONFLICT DO NOTHING
      """
    )
    insertRange = try connection.prepare(
      """
      INSERT INTO subscriptions (container, environment, owner, database_id, subscription_id,
        channel_id, since, ended, body)
      VALUES ('default', 1, 'ada', 1, ?1, ?2, ?3, ?4, ?5)
      """
    )
    insertEvent = try connection.prepare(
      """
      INSERT INTO events
        (id, batch, channel_id, sequence, committed, origin_user, origin_device, content, body)
      SELECT coalesce(max(id), 0) + 1, coalesce(?7, coalesce(max(id), 0) + 1), ?1, ?2, ?3, ?4, ?5, 0, ?6
      FROM events
      """
    )
    insertMark = try connection.prepare(
      """
      INSERT INTO read_marks (id, owner, container, environment, channel_id, sequence, device, marked)
      SELECT coalesce(max(id), 0) + 1, ?1, 'default', 1, ?2, ?3, ?4, 1 FROM read_marks
      """
    )
    try connection.execute(
      """
      INSERT INTO databases (id, container, environment, scope, owner, zone_floor)
      VALUES (1, 'default', 1, 2, 'ada', 0)
      """
    )
  }

  /// The body of an event's row, of the body that a page has.
  func stored(_ body: [UInt8]) -> [UInt8] { Array(body.dropFirst(source.count)) }

  /// Runs writes in one transaction.
  func write(_ body: () throws -> Void) throws {
    try connection.execute("BEGIN")
    try body()
    try connection.execute("COMMIT")
  }

  func addChannel(_ channel: Int64, head: Int64) throws {
    insertChannel.bind(channel, at: 1)
    insertChannel.bind([UInt8]("\(channel)".utf8), at: 2)
    insertChannel.bind(head, at: 3)
    insertChannel.bind(definition, at: 4)
    try insertChannel.run()
  }

  func add(_ range: StoredRange) throws {
    insertRange.bind(range.name, at: 1)
    insertRange.bind(range.channel, at: 2)
    insertRange.bind(range.since, at: 3)
    insertRange.bind(range.ended, at: 4)
    insertRange.bind(definition, at: 5)
    try insertRange.run()
  }

  func add(_ event: StoredEvent) throws {
    insertEvent.bind(event.channel, at: 1)
    insertEvent.bind(event.sequence, at: 2)
    insertEvent.bind(event.committed, at: 3)
    insertEvent.bind(event.origin.user, at: 4)
    insertEvent.bind(event.origin.device, at: 5)
    insertEvent.bind(event.body, at: 6)
    insertEvent.bind(event.batch, at: 7)
    try insertEvent.run()
  }

  func markRead(_ id: NotificationID, of owner: String = "ada", by device: String = "") throws {
    insertMark.bind(owner, at: 1)
    insertMark.bind(id.channel, at: 2)
    insertMark.bind(id.sequence, at: 3)
    insertMark.bind(device, at: 4)
    try insertMark.run()
  }

  /// The feed over the rows that are there now.
  func feed(limits: Limits = Limits()) throws -> NotificationFeed {
    try NotificationFeed(
      connection,
      identity: StoreIdentity(connection),
      codec: codec,
      limits: limits,
      visibility: NotificationVisibility(
        connection,
        codec: codec,
        memory: MemoryShares()
      ) { _, _, _ in
        .all
      }
    )
  }

  /// Runs the retention until it has nothing to do, and the sweep that follows it.
  func retain(limits: Limits, at now: Int64) throws {
    let usage = try UsageTable(connection, remembered: RememberedCount())
    let retention = try NotificationRetention(
      connection,
      limits: limits,
      usage: usage,
      catalog: Catalog(connection)
    )
    try write {
      try blockUntil("the retention to have nothing to do", pausing: .zero) {
        try retention.work(at: Moment(undisturbed: now)) != .zero
      }
      let sweep = try ChannelSweep(connection, ended: EndedSubscriptions(connection, usage: usage))
      try blockUntil("the sweep to have nothing to do", pausing: .zero) {
        try !sweep.work(rowsMax: 7)
      }
    }
  }

  /// The numbers that a query returns.
  func numbers(_ sql: String) throws -> [Int64] {
    var numbers: [Int64] = []
    let select = try connection.prepare(sql)
    try select.forEachRow { numbers.append(select.int64(0)) }
    return numbers
  }

  func execute(_ sql: String) throws { try connection.execute(sql) }
}

extension NotificationFeed {
  /// A page for one of ada's devices.
  func page(
    for caller: Caller = FeedStore.laptop,
    after token: [UInt8] = [],
    limit: Int = 0,
    badge: Bool = false
  ) throws -> NotificationPage {
    var request = NotificationRequest(
      caller: caller,
      container: "default",
      environment: .development,
      changeToken: token,
      limit: limit
    )
    request.wantsBadge = badge
    return try page(request)
  }
}
