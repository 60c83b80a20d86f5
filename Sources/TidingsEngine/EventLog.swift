internal import TidingsMatcher
internal import TidingsModel
internal import TidingsSQL

/// Stores one event for each channel that a change fires.
///
/// Query channels fire with each record, zone and database channels once at the end of a call, for each
/// zone that it changed.
final class EventLog: TransactionParticipant {
  private let channels: ChannelRegistry
  private let removals: ZoneRemovalTable
  private let removalChannels: RemovalChannels
  private let shared: SharedFirings
  private let onceChannels: OnceChannels
  private let originTags: OriginTags
  private let codec: any BodyCodec
  private let limits: Limits
  private let access: FiringAccess
  private let usage: UsageTable
  private let pace: Pace
  private let insert: any SQLStatement
  private let insertPublic: any SQLStatement
  private let insertContent: any SQLStatement
  private let selectLast: any SQLStatement
  /// The number of the newest event of all channels.
  private var lastID: Int64 = 0
  private var call: Call?
  /// What zone and database channels hear of at the end of the call, in the order of the first changes.
  private var zoneChanges: [ZoneChange] = []
  private var firings: [Firing] = []

  /// What a change fires, before it is stored.
  private struct PreparedEvent {
    let entry: ChannelEntry
    let channel: ChannelContent
    let reason: Event.Reason
    let content: EventContent?
  }

  /// The events of the change at hand.
  private var prepared: [PreparedEvent] = []
  /// What was stored since the last commit.
  private var pending: [StoredEvent] = []
  /// How many events were stored since the start.
  private(set) var storedCount = 0
  /// How many channels have fired for the only time since the start.
  private(set) var onceCount = 0

  /// The call at hand.
  private struct Call {
    let caller: Caller
    let moment: Moment
    /// Its first event, once there is one.
    var batch: Int64?
    /// Marks its pushes, once there is one.
    var device: OriginTags.Device?
    /// The removals of zones that it deleted, which go on after it.
    var removals: [Int64] = []
  }

  /// What a call changed of a zone.
  private struct ZoneChange {
    let zone: ZoneID
    let database: DatabaseEntry
    /// Of the records that were created, changed or deleted.
    var recordTypes: Set<String> = []
    /// In a public database: who created them, by type.
    var creators: [String: Set<String>] = [:]
    var isCreated = false
    var isDeleted = false
  }

  init(
    _ connection: any SQLConnection,
    channels: ChannelRegistry,
    removals: ZoneRemovalTable,
    removalChannels: RemovalChannels,
    shared: SharedFirings,
    onceChannels: OnceChannels,
    originTags: OriginTags,
    codec: any BodyCodec,
    limits: Limits,
    access: FiringAccess,
    usage: UsageTable,
    pace: Pace
  ) throws {
    self.pace = pace
    (self.removals, self.removalChannels) = (removals, removalChannels)
    self.usage = usage
    self.access = access
    self.channels = channels
    self.shared = shared
    self.onceChannels = onceChannels
    self.originTags = originTags
    self.codec = codec
    self.limits = limits
    insert = try connection.prepare(
      """
      INSERT INTO events
        (id, batch, channel_id, sequence, committed, origin_user, origin_device, body, content)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      """
    )
    insertPublic = try connection.prepare(
      """
      INSERT INTO events
        (id, batch, channel_id, sequence, committed, origin_user, origin_device, body, content,
          creator)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """
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
  }

  func didRollback() { pending.removeAll(keepingCapacity: true) }

  func reload() throws {
    defer { selectLast.reset() }
    lastID = try selectLast.step() && !selectLast.isNull(0) ? selectLast.int64(0) : 0
  }

  // MARK: Changes

  /// Does what a caller asks for in one call; a call within it is part of it.
  ///
  /// All that fires belongs to one batch; zones tell of their changes when all is done.
  func asOneCall<R>(
    by caller: Caller,
    at moment: Moment,
    _ body: () throws -> R
  ) throws -> R {
    guard call == nil else { return try body() }
    call = Call(caller: caller, moment: moment)
    defer {
      call = nil
      zoneChanges.removeAll(keepingCapacity: true)
      shared.callEnded()
    }
    let result = try body()
    try fireZones()
    try fireSharedZones()
    if let call, let batch = call.batch {
      for removal in call.removals { try removals.setBatch(batch, of: removal) }
    }
    return result
  }

  /// A zone was deleted within the call, and goes on being removed after it.
  func noteRemoval(_ removal: Int64) { call?.removals.append(removal) }

  /// Does a piece of what a deletion of a zone left to do, as a part of the call that deleted the zone.
  ///
  /// - Parameters:
  ///   - removal: The removal.
  ///   - body: The work.
  /// - Returns: What the work returns, and the first event of the call or of its pieces; 0: there is none.
  /// - Throws: `SQLError`.
  func asRemoval<R>(
    _ removal: ZoneRemoval,
    _ body: () throws -> R
  ) throws -> (result: R, batch: Int64) {
    let outer = call
    call = Call(
      caller: removal.caller,
      moment: removal.moment,
      batch: removal.batch == 0 ? nil : removal.batch
    )
    defer { call = outer }
    let result = try body()
    return (result, call?.batch ?? 0)
  }

  /// Stores the events of one change, within a call.
  ///
  /// A save that changes neither the fields nor the parent fires nothing.
  ///
  /// - Parameters:
  ///   - old: The record before; `nil` for a creation.
  ///   - new: The record after; `nil` for a deletion.
  ///   - zone: The record's zone.
  ///   - database: The zone's database.
  ///   - removal: The record is removed after its zone, which zone and database channels were notified
  ///     of already; `nil`: it changes within the call.
  ///   - known: The query channels that fire; `nil`: they are to be found.
  /// - Throws: `SQLError`.
  func fire(
    old: Record?,
    new: Record?,
    zone: ZoneID,
    in database: DatabaseEntry,
    removal: Int64? = nil,
    firings known: [Firing]? = nil
  ) throws {
    guard let record = new ?? old else { return }
    let watchesZones = removal == nil && channels.watchesZones(in: database)
    if let known {
      firings = known
      channels.noteEvaluation(of: record.recordType, in: database)
    } else {
      firings.removeAll(keepingCapacity: true)
      let isLarge = (old?.hasLargeValues ?? false) || (new?.hasLargeValues ?? false)
      channels.match(
        old: old,
        new: new,
        zone: zone,
        in: database,
        memory: isLarge ? EvaluationMemory(stepsMax: nil) : nil,
        into: &firings
      )
    }
    guard watchesZones || !firings.isEmpty else { return }
    if let old, let new, old.looks(like: new) { return }
    if watchesZones {
      note(zone, in: database) { change in
        change.recordTypes.insert(record.recordType)
        guard database.id.scope == .public else { return }
        change.creators[record.recordType, default: []].insert(record.creator)
      }
    }
    try prepare(record, old: old, new: new, in: database, for: removal)
    defer { prepared.removeAll(keepingCapacity: true) }
    let shared = sharedContent(record, isDeletion: new == nil)
    let contentNumber = lastID + 1
    for event in prepared {
      let isShared = shared != nil && event.content?.isLarge == true
      try store(
        .record(record.recordID, event.reason),
        event.content,
        event.entry,
        event.channel,
        contentNumber: isShared ? contentNumber : 0,
        creator: database.id.scope == .public ? record.creator : nil
      )
      if event.channel.definition.options.contains(.once) { try end(event.entry, event.channel) }
    }
    if let shared { try store(shared, contentNumber, in: database) }
  }

  /// Finds the events of a change, and what they carry.
  private func prepare(
    _ record: Record,
    old: Record?,
    new: Record?,
    in database: DatabaseEntry,
    for removal: Int64?
  ) throws {
    for firing in firings {
      pace.step()
      guard let entry = channels.entry(firing.channel),
        removalChannels.fires(entry.number, for: removal),
        try access.mayTell(entry.number, of: record, in: database)
      else { continue }
      let channel = try channels.content(of: entry)
      prepared.append(
        PreparedEvent(
          entry: entry,
          channel: channel,
          reason: firing.reason.eventReason,
          content: content(of: channel, old: old, new: new)
        )
      )
    }
  }

  /// What the events had better keep together.
  private func sharedContent(_ record: Record, isDeletion: Bool) -> SharedEventContent? {
    guard prepared.count > 1 else { return nil }
    let large = prepared.compactMap { event -> (info: NotificationInfo, bytes: Int)? in
      guard let content = event.content, content.isLarge,
        let info = event.channel.definition.notificationInfo
      else { return nil }
      return (info, content.byteCount)
    }
    return SharedEventContent(of: large, record, isDeletion: isDeletion)
  }

  private func content(of channel: ChannelContent, old: Record?, new: Record?) -> EventContent? {
    guard let info = channel.definition.notificationInfo, info.carriesFields else { return nil }
    return EventContent(
      info,
      old: old,
      new: new,
      fieldsBytesMax: limits.notificationFieldsBytesMax
    )
  }

  private func store(
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

  /// A record of this type goes with its zone: for zone and database channels.
  func noteDeletion(of recordType: String, zone: ZoneID, in database: DatabaseEntry) {
    guard channels.watchesZones(in: database) else { return }
    note(zone, in: database) { $0.recordTypes.insert(recordType) }
  }

  /// Fires zone and database channels that watch a type, of which the first record is removed after its
  /// zone.
  func fireRemoval(
    of recordType: String,
    zone: ZoneID,
    in database: DatabaseEntry,
    _ removal: Int64
  ) throws {
    let entries = channels.zoneChannels(
      of: database,
      zone: zone,
      recordTypes: [recordType],
      isZoneItself: false
    )
    for entry in entries where removalChannels.fires(entry.number, for: removal) {
      let channel = try channels.content(of: entry)
      // The others fired when the zone was deleted.
      if !channel.definition.recordType.isEmpty { try storeZone(zone, entry, channel) }
    }
  }

  /// A zone was created within the call.
  func noteCreation(of zone: ZoneID, in database: DatabaseEntry) {
    guard channels.watchesZones(in: database) else { return }
    note(zone, in: database) { $0.isCreated = true }
  }

  /// A zone was deleted within the call.
  func noteDeletion(of zone: ZoneID, in database: DatabaseEntry) {
    guard channels.watchesZones(in: database) else { return }
    note(zone, in: database) { $0.isDeleted = true }
  }

  private func note(
    _ zone: ZoneID,
    in database: DatabaseEntry,
    _ change: (inout ZoneChange) -> Void
  ) {
    precondition(call != nil, "a zone changes outside of a call")
    let known = zoneChanges.lastIndex { $0.zone == zone && $0.database === database }
    if known == nil { zoneChanges.append(ZoneChange(zone: zone, database: database)) }
    change(&zoneChanges[known ?? zoneChanges.count - 1])
  }

  private func fireZones() throws {
    for change in zoneChanges {
      let entries = channels.zoneChannels(
        of: change.database,
        zone: change.zone,
        recordTypes: change.recordTypes,
        isZoneItself: change.isCreated || change.isDeleted
      )
      for entry in entries where removalChannels.fires(entry.number, for: nil) {
        let channel = try channels.content(of: entry)
        // Who watches one zone hears nothing of its creation: it has no changes yet.
        let isOnlyCreated = !change.isDeleted && change.recordTypes.isEmpty
        if isOnlyCreated, channel.definition.zoneID != nil { continue }
        guard try mayTell(entry, channel.definition.recordType, change) else { continue }
        try storeZone(change.zone, entry, channel)
      }
    }
  }

  /// Tells those with whom something is shared: of a zone once, whatever changed in it.
  private func fireSharedZones() throws {
    for firing in try shared.take() {
      let entries = channels.zoneChannels(
        of: firing.database,
        zone: firing.zone,
        recordTypes: firing.recordTypes,
        isZoneItself: firing.isMembership
      )
      for entry in entries {
        try storeZone(firing.zone, entry, try channels.content(of: entry))
      }
    }
  }

  private func mayTell(
    _ entry: ChannelEntry,
    _ recordType: String,
    _ change: ZoneChange
  ) throws -> Bool {
    try access.mayTell(
      entry.number,
      ofZoneWith: recordType.isEmpty
        ? change.creators : change.creators.filter { $0.key == recordType },
      in: change.database
    )
  }

  // MARK: Storing

  private func storeZone(
    _ zone: ZoneID,
    _ entry: ChannelEntry,
    _ channel: ChannelContent
  ) throws {
    try store(
      .zone(zone),
      channel.definition.notificationInfo.map {
        EventContent($0, old: nil, new: nil, fieldsBytesMax: 0)
      },
      entry,
      channel
    )
  }

  private func store(
    _ subject: Event.Subject,
    _ content: EventContent?,
    _ entry: ChannelEntry,
    _ channel: ChannelContent,
    contentNumber: Int64 = 0,
    creator: String? = nil
  ) throws {
    guard let call else { preconditionFailure("an event is stored outside of a call") }
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
    let origin = call.device ?? originTags.device(of: call.caller)
    if call.batch == nil { self.call?.batch = lastID }
    if call.device == nil { self.call?.device = origin }
    let insert = creator == nil ? insert : insertPublic
    if let creator { insert.bind(creator, at: 10) }
    insert.bind(lastID, at: 1)
    insert.bind(call.batch ?? lastID, at: 2)
    insert.bind(entry.number, at: 3)
    insert.bind(sequence, at: 4)
    insert.bind(call.moment.steady.milliseconds, at: 5)
    insert.bind(call.caller.user, at: 6)
    insert.bind(call.caller.device, at: 7)
    insert.bind(stored, at: 8)
    insert.bind(contentNumber, at: 9)
    try insert.run()
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

  /// The channel has fired, and does so once.
  private func end(_ entry: ChannelEntry, _ channel: ChannelContent) throws {
    onceCount += 1
    guard try !removalChannels.close(entry) else { return }
    try onceChannels.end(
      entry.number,
      in: channel.database.id,
      at: entry.head,
      memberCount: entry.members
    )
    try channels.unwatch(entry.number)
  }
}

extension Record {
  /// Whether all that a client sees is the same, but for the change tag and who saved it when.
  func looks(like other: Record) -> Bool {
    fields.isIdentical(to: other.fields) && parent == other.parent && share == other.share
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
