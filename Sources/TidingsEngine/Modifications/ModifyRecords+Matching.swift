internal import TidingsMatcher
internal import TidingsModel

// Records with large values are matched with the subscriptions before anything is written: what takes
// long can then be found on another thread, and the call be tried again.
extension ModifyRecords {
  /// One try to match all changes of a call.
  struct Matching {
    private var memory: EvaluationMemory?
    private var isBegun = false

    /// - Parameter known: The memory of the try before.
    init(_ known: EvaluationMemory?) { memory = known }

    /// The memory, made for the first large value.
    fileprivate mutating func begun() -> EvaluationMemory {
      let memory = memory ?? EvaluationMemory()
      if !isBegun {
        memory.beginPass()
        self.memory = memory
        isBegun = true
      }
      return memory
    }

    /// - Throws: `MatchingPending` when the changes are not to be written yet.
    func finish() throws(MatchingPending) {
      if isBegun, let memory, memory.hasPending { throw MatchingPending(memory: memory) }
    }
  }

  /// Finds the query channels that changes of records with large values fire.
  func match(_ plan: inout RecordPlan, _ call: RecordCall, _ matching: inout Matching) throws {
    try checkReplacedBytes(of: &plan, call)
    guard !call.isDryRun else { return }
    try checkComparisons(of: plan, call)
    try checkOwedFirings(of: &plan)
    let changeCount = plan.writes.count + plan.cascades.count
    for (index, write) in plan.writes.enumerated() {
      let firings = firings(write.old, write.new, write.zone, call, &matching, of: changeCount)
      if let firings { plan.setFirings(firings, at: index) }
      if index > 0 { try pace.decisionStep() }
    }
    for (offset, cascade) in plan.cascades.enumerated() {
      try pace.decisionStep()
      let name = cascade.recordID.recordName
      guard let zone = try tables.catalog.zone(cascade.recordID.zoneID, in: call.database),
        let type = try tables.records.recordType(name, in: zone),
        tables.channels.watches(type, in: call.database),
        let row = try tables.records.row(name, in: zone), let old = try decoded(row)
      else { continue }
      plan.cascadeFirings[offset] = firings(old, nil, zone, call, &matching, of: changeCount)
    }
    try checkEvents(of: plan, call)
  }

  /// Refuses many records in one call that would be compared with many subscriptions each.
  ///
  /// Everybody waits meanwhile. They are the caller's own, or those of the database's owner; in a public database they
  /// are anybody's, and no reason to refuse a save.
  private func checkComparisons(of plan: RecordPlan, _ call: RecordCall) throws(ItemError) {
    guard plan.writes.count + plan.cascades.count > 1, call.database.id.scope != .public else {
      return
    }
    var (count, type, comparisons) = (0, nil as String?, 0)
    for write in plan.writes {
      // Those of one type often follow each other.
      if type != write.row.recordType {
        type = write.row.recordType
        comparisons = tables.channels.openComparisons(write.row.recordType, in: call.database)
      }
      count += comparisons
    }
    guard count > limits.comparisonsPerCallMax else { return }
    throw ItemError(
      .limitExceeded,
      "the records of this call would be compared \(count) times with subscriptions that no field leads "
        + "to, at most \(limits.comparisonsPerCallMax) are allowed: save fewer records in one call, or "
        + "delete such subscriptions (docs: predicates, cost)"
    )
  }

  /// Refuses to delete and replace more than others can wait for.
  private func checkReplacedBytes(of plan: inout RecordPlan, _ call: RecordCall) throws {
    for cascade in plan.cascades {
      guard let zone = try tables.catalog.zone(cascade.recordID.zoneID, in: call.database) else {
        continue
      }
      plan.cascadeBytes += try tables.records.bodyBytes(cascade.recordID.recordName, in: zone)
      try pace.decisionStep()
    }
    let bytes = plan.writes.reduce(plan.cascadeBytes) { $0 + ($1.replaced?.body?.count ?? 0) }
    guard bytes > limits.replacedBytesPerCallMax, plan.writes.count + plan.cascades.count > 1 else {
      return
    }
    throw ItemError(
      .limitExceeded,
      "the records that this call replaces or deletes, including cascades, have \(bytes) bytes, at most "
        + "\(limits.replacedBytesPerCallMax) are allowed: send fewer of them in one call, and delete "
        + "what refers to a record before it"
    )
  }

  /// Refuses to create many records for which records of the same names, of zones that were deleted, have to fire first.
  private func checkOwedFirings(of plan: inout RecordPlan) throws {
    // Zone and database channels fire once for each type.
    var seen: Set<ZoneRemover.Owed> = []
    for write in plan.writes where write.old == nil {
      let owed = try tables.zoneRemover.owed(byPredecessorsOf: write.name, in: write.zone)
      guard let owed else { continue }
      try pace.decisionStep()
      for record in owed {
        plan.owedFiringCount += firingCount(
          of: record,
          in: write.zone,
          isFirst: seen.insert(record).inserted
        )
      }
    }
    guard plan.owedFiringCount > limits.eventsPerCallMax, plan.writes.count > 1 else { return }
    throw ItemError(
      .zoneBusy,
      "records of the same names as those of this call are still being removed with zones that were deleted, and up to "
        + "\(plan.owedFiringCount) notifications of that would have to come first, at most "
        + "\(limits.eventsPerCallMax) are allowed: wait and repeat, or save fewer records in one call",
      retryAfter: .seconds(1)
    )
  }

  private func firingCount(of owed: ZoneRemover.Owed, in zone: ZoneEntry, isFirst: Bool) -> Int {
    let count = tables.channels.queryChannelCount(owed.recordType, in: zone.database)
    guard isFirst else { return count }
    return count
      + tables.channels.zoneChannelCount(
        zone.id,
        in: zone.database,
        recordTypes: [owed.recordType],
        isZoneItself: false
      )
  }

  /// Rejects many changes in one call that fire many channels each.
  private func checkEvents(of plan: RecordPlan, _ call: RecordCall) throws(ItemError) {
    guard plan.writes.count + plan.cascades.count > 1 else { return }
    let count = plan.firingCount + zoneFiringCount(of: plan, call)
    guard count > limits.eventsPerCallMax else { return }
    throw ItemError(
      .limitExceeded,
      "the records of this call fire \(count) notifications, at most \(limits.eventsPerCallMax) are "
        + "allowed: save fewer records in one call, or delete subscriptions that say the same"
    )
  }

  /// How often the writes fire zone and database channels: once for each zone.
  private func zoneFiringCount(of plan: RecordPlan, _ call: RecordCall) -> Int {
    guard tables.channels.watchesZones(in: call.database) else { return 0 }
    let types = Dictionary(grouping: plan.writes, by: \.zone.id)
      .mapValues { Set($0.map(\.row.recordType)) }
    return types.reduce(0) { count, zone in
      count
        + tables.channels.zoneChannelCount(
          zone.key,
          in: call.database,
          recordTypes: zone.value,
          isZoneItself: false
        )
    }
  }

  /// About how often the writes fire channels of participants' shared databases: once for each zone.
  ///
  /// They are others': to refuse the call for them would let participants keep the owner from changing anything.
  private func sharedFiringCount(of plan: RecordPlan) throws -> Int {
    let most = plan.sharing.count * tables.channels.zoneChannelCount
    guard most > Self.sharedFiringsUncounted else { return most }
    var count = 0
    for (zone, sharing) in plan.sharing {
      let shares = try tables.shares.shares(of: zone)
      var changed = sharing.storedShares
      if let zoneWide = shares.zoneWide { changed.insert(zoneWide.number) }
      for write in plan.writes where write.zone === zone && write.row.recordType == Share.recordType
      {
        if let share = shares.byName[write.name] { changed.insert(share.number) }
      }
      count += try tables.firings.channelCount(ofShares: changed.sorted(), in: zone)
      try pace.decisionStep()
    }
    return count
  }

  /// So few are not worth a look at who they are.
  private static let sharedFiringsUncounted = 100

  /// What it takes at least to write a record, in about so many microseconds.
  static let recordCost = 15
  /// Bytes that are written at the cost of 1.
  private static let bytesPerCost = 300

  /// What it takes at least to write all changes, before anything of them is decided.
  func leastCost(of changes: RecordChanges) -> Int {
    (changes.saves.count + changes.deletions.count) * Self.recordCost
      + changes.sentBytes / Self.bytesPerCost
  }
  private static let followingRowCost = 8

  /// What it takes to write what was decided, in about so many microseconds.
  func cost(of plan: RecordPlan, _ call: RecordCall) throws -> Int {
    let bytes = plan.writes.reduce(0) {
      $0 + ($1.row.body?.count ?? 0) + 2 * ($1.replaced?.body?.count ?? 0)
    }
    let records = plan.writes.count * Self.recordCost + plan.cascades.count * 40
    let own = plan.firingCount + zoneFiringCount(of: plan, call) + plan.owedFiringCount
    let firings = try (own + sharedFiringCount(of: plan)) * 8
    var following = plan.sharing.reduce(0) { $0 + $1.plan.rowCount }
    for write in plan.writes {
      for follower in tables.followers {
        following += try follower.rowCount(following: write, in: call.database)
      }
    }
    // What goes along is not decoded yet: it may be full of references.
    let cascadeBytes = plan.cascadeBytes / 30
    return records + firings + bytes / Self.bytesPerCost + cascadeBytes + plan.entryCount * 2
      + following * Self.followingRowCost
  }

  /// Changes of so many records and channels together are matched when they are written.
  private static let matchedLaterMax = 300

  /// `nil`: there are few channels and the values are small, so that it is found when the change is written.
  private func firings(
    _ old: Record?,
    _ new: Record?,
    _ zone: ZoneEntry,
    _ call: RecordCall,
    _ matching: inout Matching,
    of changeCount: Int
  ) -> [Firing]? {
    guard let type = (new ?? old)?.recordType else { return nil }
    let channelCount = tables.channels.queryChannelCount(type, in: call.database)
    guard channelCount > 0 else { return nil }
    let isLarge = (old?.hasLargeValues ?? false) || (new?.hasLargeValues ?? false)
    guard isLarge || channelCount * changeCount > Self.matchedLaterMax else { return nil }
    var firings: [Firing] = []
    tables.channels.match(
      old: old,
      new: new,
      zone: zone.id,
      in: call.database,
      memory: isLarge ? matching.begun() : nil,
      counts: false,
      into: &firings
    )
    return firings
  }
}
