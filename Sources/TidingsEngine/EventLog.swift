internal import TidingsMatcher
internal import TidingsModel
internal import TidingsSQL

/// Stores one event for each channel that a change fires.
final class EventLog {
  private let channels: ChannelRegistry
  private let subscriptions: SubscriptionTable
  private let originTags: OriginTags
  private let codec: any BodyCodec
  private let insert: any SQLStatement
  private let selectLast: any SQLStatement
  /// The number of the newest event of all channels.
  private var lastID: Int64 = 0
  /// The first event of the call at hand, once there is one.
  private var batch: Int64?
  private var firings: [Firing] = []

  /// What was stored since the last commit.
  private var pending: [StoredEvent] = []

  init(
    _ connection: any SQLConnection,
    channels: ChannelRegistry,
    subscriptions: SubscriptionTable,
    originTags: OriginTags,
    codec: any BodyCodec
  ) throws {
    self.channels = channels
    self.subscriptions = subscriptions
    self.originTags = originTags
    self.codec = codec
    insert = try connection.prepare(
      """
      INSERT INTO events
        (id, batch, channel_id, sequence, committed, origin_user, origin_device, body)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """
    )
    selectLast = try connection.prepare("SELECT max(id) FROM events")
    try load()
  }

  /// Reads anew what memory knows of the store.
  func load() throws {
    defer { selectLast.reset() }
    lastID = try selectLast.step() && !selectLast.isNull(0) ? selectLast.int64(0) : 0
    batch = nil
  }

  /// What is stored from now on belongs to another call.
  func endCall() { batch = nil }

  /// Stores the events of one change.
  ///
  /// - Parameters:
  ///   - old: The record before; `nil` for a creation.
  ///   - new: The record after; `nil` for a deletion.
  ///   - zone: The record's zone.
  ///   - database: The zone's database.
  ///   - caller: Who made the change.
  ///   - time: When.
  /// - Throws: `SQLError`.
  func fire(
    old: Record?,
    new: Record?,
    zone: ZoneID,
    in database: DatabaseEntry,
    caller: Caller,
    at time: Timestamp
  ) throws {
    firings.removeAll(keepingCapacity: true)
    channels.match(old: old, new: new, zone: zone, in: database, into: &firings)
    guard let record = new ?? old else { return }
    for firing in firings {
      guard let channel = channels.entry(firing.channel) else { continue }
      try store(firing.reason, channel, record: record, caller: caller, at: time)
    }
  }

  /// Returns what was stored since the last commit, and forgets it.
  func takePending() -> [StoredEvent] {
    defer { pending.removeAll(keepingCapacity: true) }
    return pending
  }

  private func store(
    _ reason: Firing.Reason,
    _ channel: ChannelEntry,
    record: Record,
    caller: Caller,
    at time: Timestamp
  ) throws {
    let content = try channels.content(of: channel)
    let event = Event(
      channel: channel.number,
      sequence: channels.advance(channel),
      database: content.database.id,
      reason: reason.eventReason,
      recordID: record.recordID,
      recordType: record.recordType,
      fields: Self.fields(of: record, for: content.definition, reason),
      notificationInfo: content.definition.notificationInfo,
      committed: time
    )
    let body = codec.encode(event)
    lastID += 1
    if batch == nil { batch = lastID }
    insert.bind(lastID, at: 1)
    insert.bind(batch ?? lastID, at: 2)
    insert.bind(channel.number, at: 3)
    insert.bind(event.sequence, at: 4)
    insert.bind(time.millisecondsSince1970, at: 5)
    insert.bind(caller.user, at: 6)
    insert.bind(caller.device, at: 7)
    insert.bind(body, at: 8)
    try insert.run()
    pending.append(
      StoredEvent(
        topic: content.topic,
        sequence: event.sequence,
        originTag: originTags.tag(caller, topic: content.topic),
        committed: time,
        body: body
      )
    )

    if content.definition.options.contains(.once) {
      try subscriptions.endAll(of: channel.number, at: event.sequence)
      try channels.unwatch(channel.number)
    }
  }

  private static func fields(
    of record: Record,
    for definition: Subscription,
    _ reason: Firing.Reason
  ) -> RecordFields {
    var fields = RecordFields()
    guard reason != .deleted, let keys = definition.notificationInfo?.desiredKeys else {
      return fields
    }
    for key in keys { fields[key] = record.fields[key] }
    return fields
  }
}

extension Firing.Reason {
  fileprivate var eventReason: Event.Reason {
    switch self {
    case .created: .recordCreated
    case .updated: .recordUpdated
    case .deleted: .recordDeleted
    case .entered: .recordEntered
    case .left: .recordLeft
    }
  }
}
