internal import TidingsMatcher
internal import TidingsModel
internal import TidingsSQL

/// Decides which channels a change fires, and what their events carry.
///
/// Query channels fire with each record, zone and database channels once at the end of a call, for each
/// zone that it changed.
final class ChannelFirings {
  private let events: EventStore
  private let channels: ChannelRegistry
  private let removals: ZoneRemovalTable
  private let removalChannels: RemovalChannels
  private let shared: SharedFirings
  private let onceChannels: OnceChannels
  private let subscriptions: SubscriptionTable
  private let limits: Limits
  private let access: FiringAccess
  private let pace: Pace
  /// Unchecked, like `prepared`: what is called meanwhile fires nothing.
  @exclusivity(unchecked) private var firings: [Firing] = []

  /// What a change fires, before it is stored.
  private struct PreparedEvent {
    let entry: ChannelEntry
    let channel: ChannelContent
    let reason: Event.Reason
    let content: EventContent?
  }

  /// The events of the change at hand.
  @exclusivity(unchecked) private var prepared: [PreparedEvent] = []

  init(
    events: EventStore,
    channels: ChannelRegistry,
    removals: ZoneRemovalTable,
    removalChannels: RemovalChannels,
    shared: SharedFirings,
    onceChannels: OnceChannels,
    subscriptions: SubscriptionTable,
    limits: Limits,
    access: FiringAccess,
    pace: Pace
  ) {
    (self.events, self.channels) = (events, channels)
    (self.removals, self.removalChannels) = (removals, removalChannels)
    (self.shared, self.onceChannels, self.subscriptions) = (shared, onceChannels, subscriptions)
    (self.limits, self.access, self.pace) = (limits, access, pace)
  }

  /// Does what a caller asks for in one call.
  ///
  /// All firings belong to one batch; zones fire at the end.
  func asOneCall<R>(
    by caller: Caller,
    at moment: Moment,
    _ body: (CallContext) throws -> R
  ) throws -> R {
    let call = CallContext(caller, at: moment)
    let result = try body(call)
    try fireZones(of: call)
    try fireSharedZones(of: call)
    if let batch = call.batch {
      for removal in call.removals { try removals.setBatch(batch, of: removal) }
    }
    return result
  }

  // MARK: Records

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
  ///   - call: What changes it.
  /// - Throws: `SQLError`.
  func fire(
    old: Record?,
    new: Record?,
    zone: ZoneID,
    in database: DatabaseEntry,
    removal: Int64? = nil,
    firings known: [Firing]? = nil,
    of call: CallContext
  ) throws {
    guard let record = new ?? old else { return }
    let watchesZones = removal == nil && channels.watched.watchesZones(in: database)
    if let known {
      firings = known
      channels.watched.noteEvaluation(of: record.recordType, in: database)
    } else {
      firings.removeAll(keepingCapacity: true)
      let isLarge = (old?.hasLargeValues ?? false) || (new?.hasLargeValues ?? false)
      channels.watched.match(
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
      call.note(zone, in: database) { change in
        change.recordTypes.insert(record.recordType)
        guard database.id.scope == .public else { return }
        change.creators[record.recordType, default: []].insert(record.creator)
      }
    }
    try prepare(record, old: old, new: new, in: database, for: removal)
    defer { prepared.removeAll(keepingCapacity: true) }
    let shared = sharedContent(record, isDeletion: new == nil)
    let contentNumber = events.nextID
    for event in prepared {
      let isShared = shared != nil && event.content?.isLarge == true
      try events.store(
        .record(record.recordID, event.reason),
        event.content,
        event.entry,
        event.channel,
        contentNumber: isShared ? contentNumber : 0,
        creator: database.id.scope == .public ? record.creator : nil,
        of: call
      )
      if event.channel.definition.options.contains(.once) { try end(event.entry, event.channel) }
    }
    if let shared { try events.store(shared, contentNumber, in: database) }
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
      guard let entry = channels.watched.entry(firing.channel),
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

  // MARK: Zones

  /// A record of this type goes with its zone: for zone and database channels.
  func noteDeletion(
    of recordType: String,
    zone: ZoneID,
    in database: DatabaseEntry,
    by call: CallContext
  ) {
    guard channels.watched.watchesZones(in: database) else { return }
    call.note(zone, in: database) { $0.recordTypes.insert(recordType) }
  }

  /// Fires zone and database channels that watch a type, of which the first record is removed after its
  /// zone.
  func fireRemoval(
    of recordType: String,
    zone: ZoneID,
    in database: DatabaseEntry,
    _ removal: Int64,
    of call: CallContext
  ) throws {
    let entries = channels.watched.zoneChannels(
      of: database,
      zone: zone,
      recordTypes: [recordType],
      isZoneItself: false
    )
    for entry in entries where removalChannels.fires(entry.number, for: removal) {
      let channel = try channels.content(of: entry)
      // The others fired when the zone was deleted.
      if !channel.definition.recordType.isEmpty {
        try events.storeZone(zone, entry, channel, of: call)
      }
    }
  }

  /// A zone was created within the call.
  func noteCreation(of zone: ZoneID, in database: DatabaseEntry, by call: CallContext) {
    guard channels.watched.watchesZones(in: database) else { return }
    call.note(zone, in: database) { $0.isCreated = true }
  }

  /// A zone was deleted within the call.
  func noteDeletion(of zone: ZoneID, in database: DatabaseEntry, by call: CallContext) {
    guard channels.watched.watchesZones(in: database) else { return }
    call.note(zone, in: database) { $0.isDeleted = true }
  }

  private func fireZones(of call: CallContext) throws {
    for change in call.zoneChanges {
      let entries = channels.watched.zoneChannels(
        of: change.database,
        zone: change.zone,
        recordTypes: change.recordTypes,
        isZoneItself: change.isCreated || change.isDeleted
      )
      for entry in entries where removalChannels.fires(entry.number, for: nil) {
        let channel = try channels.content(of: entry)
        // A zone subscription does not fire for the zone's creation: it has no changes yet.
        let isOnlyCreated = !change.isDeleted && change.recordTypes.isEmpty
        if isOnlyCreated, channel.definition.zoneID != nil { continue }
        guard try mayTell(entry, channel.definition.recordType, change) else { continue }
        try events.storeZone(change.zone, entry, channel, of: call)
      }
    }
  }

  /// Notifies participants: once for a zone, whatever changed in it.
  private func fireSharedZones(of call: CallContext) throws {
    for firing in try shared.firings(of: call.sharedChanges) {
      let entries = channels.watched.zoneChannels(
        of: firing.database,
        zone: firing.zone,
        recordTypes: firing.recordTypes,
        isZoneItself: firing.isMembership
      )
      for entry in entries {
        try events.storeZone(firing.zone, entry, try channels.content(of: entry), of: call)
        pace.step()
      }
    }
  }

  /// About how many channels fire, in the shared databases of those who may read shares, when something of these changes.
  func channelCount(ofShares shares: some Sequence<Int64>, in zone: ZoneEntry) throws -> Int {
    try shared.channelCount(of: shares, in: zone)
  }

  /// About how many channels fire when the own record of a share changes, and a user comes to it or goes.
  func channelCount(changing share: Int64, in zone: ZoneEntry, for user: String) throws -> Int {
    let database = zone.database
    let ofZone = channels.watched.zoneChannelCount(
      zone.id,
      in: database,
      recordTypes: [Share.recordType],
      isZoneItself: false
    )
    return try ofZone + channels.watched.queryChannelCount(Share.recordType, in: database)
      + shared.channelCount(of: [share], in: zone, seenByAll: false)
      + shared.channelCount(besides: zone, of: user)
  }

  private func mayTell(
    _ entry: ChannelEntry,
    _ recordType: String,
    _ change: TouchedZone
  ) throws -> Bool {
    try access.mayTell(
      entry.number,
      ofZoneWith: recordType.isEmpty
        ? change.creators : change.creators.filter { $0.key == recordType },
      in: change.database
    )
  }

  /// The channel has fired, and does so once.
  private func end(_ entry: ChannelEntry, _ channel: ChannelContent) throws {
    subscriptions.noteEnds()
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
