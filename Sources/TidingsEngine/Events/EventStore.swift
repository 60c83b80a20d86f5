internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// Stores events, each with the next number of its channel.
final class EventStore: TransactionParticipant {
  private let channels: ChannelRegistry
  private let removalChannels: RemovalChannels
  private let originTags: OriginTags
  private let codec: BodyCodec
  private let limits: Limits
  private let usage: UsageTable
  private let pace: Pace
  private let insertion: SQLInsertion
  private let insertContent: any SQLStatement
  private let selectLast: any SQLStatement
  /// The number of the newest event of all channels.
  private var lastID: Int64 = 0
  /// What was stored in the open transaction.
  private var pending: [StoredEvent] = []
  /// Events of the open transaction.
  var pendingCount: Int { pending.count }
  /// What marks the pushes of the caller whose change fired last: one caller often makes several in turn.
  private var lastOrigin: (caller: Caller, device: OriginTags.Device)?
  /// How many events were stored since the start.
  private(set) var storedCount = 0

  init(
    _ connection: any SQLConnection,
    channels: ChannelRegistry,
    removalChannels: RemovalChannels,
    originTags: OriginTags,
    codec: BodyCodec,
    limits: Limits,
    usage: UsageTable,
    pace: Pace
  ) throws {
    (self.channels, self.removalChannels) = (channels, removalChannels)
    (self.originTags, self.codec, self.limits) = (originTags, codec, limits)
    (self.usage, self.pace) = (usage, pace)
    insertion = SQLInsertion(
      into: "events",
      [
        "id", "batch", "channel_id", "sequence", "committed", "origin_user", "origin_device",
        "body",
        "content", "creator",
      ],
      on: connection
    )
    insertContent = try connection.prepare(
      """
      INSERT INTO event_contents
        (id, database_id, last_event, is_deletion, fields_bytes_max, body)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """
    )
    selectLast = try connection.prepare("SELECT max(id) FROM events")
    try reload()
  }

  // MARK: Transactions

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    swap(&pending, &transaction.events)
    transaction.lastEvent = lastID
  }

  func didRollback() { pending.removeAll(keepingCapacity: true) }

  func reload() throws {
    defer { selectLast.reset() }
    lastID = try selectLast.step() && !selectLast.isNull(0) ? selectLast.int64(0) : 0
  }

  // MARK: Storing

  /// The number that the next event gets.
  var nextID: Int64 { lastID + 1 }

  /// Stores what several events have in common, after them.
  ///
  /// - Parameters:
  ///   - content: What they have in common.
  ///   - number: The number of the first of them.
  ///   - database: Their database.
  /// - Throws: `SQLError`.
  func store(
    _ content: SharedEventContent,
    _ number: Int64,
    in database: DatabaseEntry
  ) throws {
    let body = codec.encode(content.record)
    insertContent.bind(number, at: 1)
    insertContent.bind(database.number, at: 2)
    insertContent.bind(lastID, at: 3)
    insertContent.bind(content.isDeletion ? 1 : 0, at: 4)
    insertContent.bind(Int64(limits.notificationFieldsBytesMax), at: 5)
    insertContent.bind(body, at: 6)
    try insertContent.run()
    try usage.add(StorageCost.event(body: body.count, user: 0, device: 0), to: database)
  }

  /// Stores an event of a zone.
  func storeZone(
    _ zone: ZoneID,
    _ entry: ChannelEntry,
    _ channel: ChannelContent,
    of call: CallContext
  ) throws {
    try store(
      .zone(zone),
      channel.definition.notificationInfo.map {
        EventContent($0, old: nil, new: nil, fieldsBytesMax: 0)
      },
      entry,
      channel,
      of: call
    )
  }

  /// Stores an event.
  ///
  /// - Parameters:
  ///   - subject: What it is about.
  ///   - content: What it carries; `nil`: nothing.
  ///   - entry: Its channel.
  ///   - channel: What the channel is.
  ///   - contentNumber: Where what it shares with others is stored; 0: it shares nothing.
  ///   - creator: Who created the record, in a public database.
  ///   - call: What fires it.
  /// - Throws: `SQLError`.
  func store(
    _ subject: Event.Subject,
    _ content: EventContent?,
    _ entry: ChannelEntry,
    _ channel: ChannelContent,
    contentNumber: Int64 = 0,
    creator: String? = nil,
    of call: CallContext
  ) throws {
    pace.step()
    let sequence = channels.advance(entry)
    let values = content?.isEmpty ?? true ? [] : codec.encode(content ?? EventContent())
    var stored = codec.encode(
      Event(
        channel: entry.number,
        sequence: sequence,
        subject: subject,
        committed: call.moment.timeOfDay
      )
    )
    let body = channel.source + stored + values
    if contentNumber == 0 { stored += values }
    lastID += 1
    let origin = call.origin ?? origin(of: call.caller)
    if call.batch == nil { call.batch = lastID }
    if call.origin == nil { call.origin = origin }
    insertion.bind(lastID, at: 1)
    insertion.bind(call.batch ?? lastID, at: 2)
    insertion.bind(entry.number, at: 3)
    insertion.bind(sequence, at: 4)
    insertion.bind(call.moment.steady.milliseconds, at: 5)
    insertion.bind(call.caller.user, at: 6)
    insertion.bind(call.caller.device, at: 7)
    insertion.bind(stored, at: 8)
    insertion.bind(contentNumber, at: 9)
    if let creator {
      insertion.bind(creator, at: 10)
    } else {
      insertion.bindNull(of: .text, at: 10)
    }
    try insertion.add()
    storedCount += 1
    let (user, device) = (call.caller.user, call.caller.device)
    try usage.add(
      StorageCost.event(body: stored.count, user: user.utf8.count, device: device.utf8.count),
      to: channel.database
    )
    guard !removalChannels.noteFiring(of: entry) else { return }
    pending.append(
      StoredEvent(
        channel: entry.number,
        topic: channel.topic,
        sequence: sequence,
        originTag: origin.tag(topic: channel.topic),
        committed: call.moment.timeOfDay,
        body: body
      )
    )
  }

  private func origin(of caller: Caller) -> OriginTags.Device {
    if let lastOrigin, lastOrigin.caller == caller { return lastOrigin.device }
    let device = originTags.device(of: caller)
    lastOrigin = (caller, device)
    return device
  }
}
