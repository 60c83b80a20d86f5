internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// Removes the rows of deleted zones, in the order of the deletions.
///
/// A few go at once, within the call, the others in pieces between the turns of callers. What was watched
/// fires with the piece that removes it. What is still there is what is left to do, so that a crash costs one piece.
final class ZoneRemover: TransactionParticipant {
  /// Rows that are read together.
  private static let rowsPerPage = 32
  /// Of the store.
  private static let pageBytes = 4_096
  /// Bytes of records that are read together; the last one may have more.
  private static let bytesPerPage = 1 << 20
  private static let pause = Duration.seconds(3_600)

  private let removals: ZoneRemovalTable
  private let removalChannels: RemovalChannels
  private let records: RecordTable
  private let channels: WatchedChannels
  private let events: EventStore
  private let firings: ChannelFirings
  private let usage: UsageTable
  private let followers: [any RecordFollower]
  private let codec: BodyCodec
  private let wakeUp: WakeUpFlag
  private let limits: Limits
  /// What the calls of the transaction may still remove and store themselves.
  private var rowsLeft = 0
  /// Types that were met in the removal at hand, for zone and database channels.
  private var met: (removal: Int64, types: Set<String>) = (0, [])

  init(
    removals: ZoneRemovalTable,
    removalChannels: RemovalChannels,
    records: RecordTable,
    channels: WatchedChannels,
    events: EventStore,
    firings: ChannelFirings,
    usage: UsageTable,
    followers: [any RecordFollower],
    codec: BodyCodec,
    wakeUp: WakeUpFlag,
    limits: Limits
  ) {
    (self.removals, self.removalChannels) = (removals, removalChannels)
    (self.records, self.channels) = (records, channels)
    (self.events, self.firings) = (events, firings)
    self.usage = usage
    (self.followers, self.codec, self.wakeUp, self.limits) = (followers, codec, wakeUp, limits)
  }

  func begin(at moment: Moment) { rowsLeft = limits.zoneRowsPerTransactionMax }

  func reload() { met = (0, []) }

  // MARK: Within the call

  /// Refuses to delete a zone when too many of its name are still being removed.
  ///
  /// - Throws: `ItemError` `zoneBusy`; `SQLError`.
  func check(_ id: ZoneID, in database: DatabaseEntry) throws {
    let count = try removals.removals(ofZonesNamed: id, in: database).count
    guard count >= limits.zoneRemovalsPerNameMax else { return }
    throw ItemError(
      .zoneBusy,
      "zone \(Identifier.shown(id.zoneName)): \(count) deleted zones of this name are still being "
        + "removed, the most that are allowed: wait and repeat, or delete its records instead",
      retryAfter: .seconds(1)
    )
  }

  /// Removes the rows of a zone that was deleted within the call, now if they are few.
  func remove(_ zone: DeletedZone, by call: CallContext) throws {
    var types: Set<String> = []
    if try removals.newest(in: zone.database) == nil {
      var budget = PieceBudget.withinCall(rows: rowsLeft)
      defer { rowsLeft = budget.rowsLeft }
      let isEmpty = try removeRecords(of: zone, &budget) { recordType, body in
        if channels.watchesZones(in: zone.database) { types.insert(recordType) }
        guard let body = try body() else {
          return firings.noteDeletion(of: recordType, zone: zone.id, in: zone.database, by: call)
        }
        try firings.fire(old: body, new: nil, zone: zone.id, in: zone.database, of: call)
      }
      if try isEmpty && removeFollowers(of: zone, at: call.steady, &budget) { return }
    }
    let number = try removals.add(zone, by: call.caller, at: call.moment)
    for type in types { try removals.addType(type, number) }
    call.removals.append(number)
    wakeUp.raise()
  }

  /// A record is created: those of the same name that deleted zones of the same name still have are
  /// removed first, so that who watches is notified in the order of the changes.
  func removePredecessors(of name: String, in zone: ZoneEntry) throws {
    let watches: (String) -> Bool = { [channels] in channels.watches($0, in: zone.database) }
    for (removal, row) in try predecessors(of: name, in: zone, wantsBody: watches) {
      try asOneCall(removal) { call in try remove(row, removal, call) }
    }
  }

  /// A record of a deleted zone whose deletion is not notified of yet.
  struct Owed: Hashable {
    let removal: Int64
    let recordType: String
  }

  /// What `removePredecessors` will find.
  ///
  /// - Returns: `nil` where there can be nothing.
  /// - Throws: `SQLError`.
  func owed(byPredecessorsOf name: String, in zone: ZoneEntry) throws -> [Owed]? {
    guard removals.oldest != nil, zone.predecessor != 0 else { return nil }
    return try predecessors(of: name, in: zone, wantsBody: { _ in false }).compactMap {
      $0.row.isRecord ? Owed(removal: $0.removal.number, recordType: $0.row.recordType) : nil
    }
  }

  /// What deleted zones of a zone's name still have of a name, in the order of their deletions.
  private func predecessors(
    of name: String,
    in zone: ZoneEntry,
    wantsBody: (_ recordType: String) -> Bool
  ) throws -> [(removal: ZoneRemoval, row: RecordTable.Leftover)] {
    guard let oldest = removals.oldest, zone.predecessor != 0 else { return [] }
    let known = try zone.predecessor ?? removals.newest(ofZonesNamed: zone.id, in: zone.database)
    zone.predecessor = known
    guard known >= oldest else { return [] }
    return try removals.removals(ofZonesNamed: zone.id, in: zone.database).compactMap { removal in
      try records.leftover(name, in: removal.zone.number, wantsBody).map { (removal, $0) }
    }
  }

  private func remove(
    _ row: RecordTable.Leftover,
    _ removal: ZoneRemoval,
    _ call: CallContext
  ) throws {
    if row.isRecord { try fire(row.recordType, { try decoded(row) }, removal, call) }
    try remove(row, of: removal.zone)
  }

  /// What a record took was given back when its zone was deleted, what a tombstone takes is now.
  private func remove(_ row: RecordTable.Leftover, of zone: DeletedZone) throws(SQLError) {
    try records.remove(row)
    try usage.add(-row.tombstoneCost, to: zone.database)
  }

  private func decoded(_ row: RecordTable.Leftover) throws -> Record? {
    try row.body?.withUnsafeBytes { try codec.decodeRecord($0) }
  }

  // MARK: Pieces

  private func removePiece(
    of removal: ZoneRemoval,
    at now: SteadyTime,
    _ budget: inout PieceBudget
  ) throws {
    let isEmpty = try asOneCall(removal) { call in
      try removeRecords(of: removal.zone, &budget) { recordType, body in
        try fire(recordType, body, removal, call)
      }
    }
    guard isEmpty, try removeFollowers(of: removal.zone, at: now, &budget),
      try removalChannels.settle(removal.number)
    else { return }
    try removals.remove(removal.number)
    // The number may be given again.
    met = (0, [])
  }

  /// What fires belongs to the call that deleted the zone.
  private func asOneCall<R>(
    _ removal: ZoneRemoval,
    _ body: (CallContext) throws -> R
  ) throws -> R {
    let call = CallContext(
      removal.caller,
      at: removal.moment,
      batch: removal.batch == 0 ? nil : removal.batch
    )
    let result = try body(call)
    if let batch = call.batch, batch != removal.batch {
      try removals.setBatch(batch, of: removal.number)
    }
    try removalChannels.writeEnds()
    return result
  }

  private func fire(
    _ recordType: String,
    _ body: () throws -> Record?,
    _ removal: ZoneRemoval,
    _ call: CallContext
  ) throws {
    let zone = removal.zone
    if channels.watchesZones(in: zone.database) {
      if met.removal != removal.number { met = (removal.number, []) }
      if met.types.insert(recordType).inserted,
        try !removals.hasType(recordType, removal.number)
      {
        try firings.fireRemoval(
          of: recordType,
          zone: zone.id,
          in: zone.database,
          removal.number,
          of: call
        )
        try removals.addType(recordType, removal.number)
      }
    }
    guard let record = try body() else { return }
    try firings.fire(
      old: record,
      new: nil,
      zone: zone.id,
      in: zone.database,
      removal: removal.number,
      of: call
    )
  }

  /// Removes records and tombstones, oldest change first.
  ///
  /// - Parameters:
  ///   - zone: Their zone.
  ///   - budget: How many, and how long.
  ///   - fire: Called for each record before it is removed, with its type and what returns the record, or
  ///     `nil` where no query channel watches the type.
  /// - Returns: Whether none is left.
  /// - Throws: `SQLError`.
  private func removeRecords(
    of zone: DeletedZone,
    _ budget: inout PieceBudget,
    _ fire: (_ recordType: String, _ record: () throws -> Record?) throws -> Void
  ) throws -> Bool {
    while !budget.isSpent {
      let page = try records.oldest(
        in: zone.number,
        limit: Self.rowsPerPage,
        bytesMax: Self.bytesPerPage
      ) { channels.watches($0, in: zone.database) }
      guard !page.isEmpty else { return true }
      for row in page {
        let eventsBefore = events.storedCount
        if row.isRecord {
          try fire(row.recordType) { try decoded(row) }
        }
        try remove(row, of: zone)
        // To free a page of a large record takes about as long as to remove a small one.
        budget.take(1 + row.bodyBytes / Self.pageBytes + events.storedCount - eventsBefore)
        if budget.isSpent { break }
      }
    }
    return false
  }

  private func removeFollowers(
    of zone: DeletedZone,
    at now: SteadyTime,
    _ budget: inout PieceBudget
  ) throws -> Bool {
    for follower in followers {
      while true {
        if budget.isSpent { return false }
        let limit = min(Self.rowsPerPage, budget.rowsLeft)
        let count = try follower.removeRows(of: zone, limit: limit, at: now)
        budget.take(count)
        if count < limit { break }
      }
    }
    return true
  }
}

extension ZoneRemover: MaintenanceTask {
  func work(at moment: Moment) throws -> Duration {
    var budget = PieceBudget.betweenTurns()
    while !budget.isSpent {
      guard let removal = try removals.first() else { return Self.pause }
      try removePiece(of: removal, at: moment.steady, &budget)
      budget.take(1)
    }
    return .zero
  }
}
