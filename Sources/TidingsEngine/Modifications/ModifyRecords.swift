internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// Saves and deletes records: decides everything for a call, then writes it.
final class ModifyRecords {
  /// The tables that hold records and what hangs on them.
  struct Tables {
    let catalog: Catalog
    let records: RecordTable
    let ancestors: AncestorLog
    let references: ReferenceTable
    let schemas: SchemaTable
    let clientTokens: ClientTokens
    let channels: WatchedChannels
    let firings: ChannelFirings
    let shares: ShareTable
    let sharedRecords: SharedRecordTable
    let assets: AssetTable
    let usage: UsageTable
    let quotas: QuotaTable
    let followers: [any RecordFollower]
    let zoneRemover: ZoneRemover
  }

  let tables: Tables
  let codec: BodyCodec
  let limits: Limits
  let pace: Pace
  /// Whether there is such a user, who can be invited.
  var isKnownUser: (String) throws -> Bool = { _ in true }
  /// Whether an administrator created such a user, whose name in the public database is kept for the user's record.
  let hasAccount: (String) throws -> Bool
  /// Whether a user's saves may teach the schema of a container; `nil`: all may, and see all.
  var mayTeach: ((_ user: String, _ container: String) throws -> Bool)?

  init(
    _ tables: Tables,
    codec: BodyCodec,
    limits: Limits,
    pace: Pace,
    hasAccount: @escaping (String) throws -> Bool
  ) {
    self.tables = tables
    self.hasAccount = hasAccount
    self.codec = codec
    self.limits = limits
    self.pace = pace
  }

  /// Applies the changes of one call within the open transaction.
  ///
  /// - Throws: What fails the call as a whole: `ItemError`, `MatchingPending` or `LongCall` before anything
  ///   is written, or `SQLError`.
  func callAsFunction(
    _ changes: RecordChanges,
    access: (any RecordAccess)?,
    in context: CallContext
  ) throws -> ModifiedRecords {
    try begin(changes)
    try tables.clientTokens.check(changes.clientChangeToken, of: context.caller)
    let call = RecordCall(
      context,
      database: try tables.catalog.plannedDatabase(changes.database, by: context.caller.user),
      named: changes.database,
      isDryRun: changes.isDryRun,
      erasesUser: changes.erasesUser,
      access: access
    )
    var plan = try plan(changes, call)
    var matching = Matching(changes.memory)
    try match(&plan, call, &matching)
    try matching.finish()
    if !call.isDryRun { try pace.check(cost: cost(of: plan, call)) }
    return try finish(consume plan, call, mark: changes.clientChangeToken)
  }

  /// Begins to decide: what will certainly take long to write is given up before anything of it is decided.
  ///
  /// - Throws: `ItemError`; `LongCall`.
  func begin(_ changes: RecordChanges) throws {
    let count = changes.saves.count + changes.deletions.count
    try limits.check(itemCount: count)
    if !changes.isDryRun { try pace.check(cost: leastCost(of: changes)) }
    try checkNames(changes)
    pace.begin(isShort: count == 1)
  }

  /// Writes what was decided, unless it is only wanted to be known.
  func finish(_ plan: RecordPlan, _ call: RecordCall, mark: [UInt8]) throws -> ModifiedRecords {
    var result = ModifiedRecords(outcomes: plan.outcomes)
    result.changedAnything = !plan.writes.isEmpty && !call.isDryRun
    result.cascadedDeletions =
      call.isDryRun ? try preview(plan, call) : try apply(plan, call, mark: mark)
    return result
  }

  // MARK: Deciding

  /// Refuses two changes of one record.
  private func checkNames(_ changes: RecordChanges) throws(ItemError) {
    let count = changes.saves.count + changes.deletions.count
    guard count > 1 else { return }
    let named = changes.saves.lazy.map(\.recordID).filter { !$0.recordName.isEmpty }
    // Records of different names are different ones, whatever their zones.
    var names = Set<String>(minimumCapacity: count)
    let differ =
      named.allSatisfy { names.insert($0.recordName).inserted }
      && changes.deletions.allSatisfy { names.insert($0.recordName).inserted }
    if differ { return }
    var seen = Set<RecordID>(minimumCapacity: count)
    for var recordID in Array(named) + changes.deletions {
      // There the caller's own name means none, and others are refused.
      if changes.database.scope != .shared { recordID.zoneID.ownerName = "" }
      guard !seen.insert(recordID).inserted else { continue }
      throw ItemError(
        .invalidArguments,
        "record \(Identifier.shown(recordID.recordName)) appears twice in the call: send one change "
          + "for each record"
      )
    }
  }

  /// Decides; `discovered` is what parts of the call that were decided before add to the schema.
  func plan(
    _ changes: RecordChanges,
    _ call: RecordCall,
    after discovered: RecordPlan.Discovered = [:]
  ) throws -> RecordPlan {
    let itemCount = changes.saves.count + changes.deletions.count
    var plan = RecordPlan(
      atomicity: Atomicity(requested: changes.isAtomic, scope: call.database.id.scope),
      limits: limits,
      after: discovered
    )
    for (item, record) in changes.saves.enumerated() {
      try planSave(
        record,
        item: item,
        policy: changes.policy(ofSave: item),
        refusal: changes.refusals[item],
        call,
        plan: &plan
      )
      if itemCount > 1 { try pace.decisionStep() }
    }
    for (offset, recordID) in changes.deletions.enumerated() {
      try planDeletion(
        recordID,
        expecting: changes.expectedTag(ofDeletion: offset),
        item: changes.saves.count + offset,
        call,
        plan: &plan
      )
      if itemCount > 1 { try pace.decisionStep() }
    }
    plan.applyAtomicity()
    try planQuota(&plan, call)
    var hasRefusals = try planReferences(&plan, call)
    if try planShares(&plan, call) { hasRefusals = true }
    if hasRefusals { try checkQuota(plan, call) }
    return plan
  }

  private func planSave(
    _ sent: Record,
    item: Int,
    policy: RecordChanges.SavePolicy,
    refusal: ItemError?,
    _ call: RecordCall,
    plan: inout RecordPlan
  ) throws {
    var sent = sent
    if sent.recordID.recordName.isEmpty {
      sent.recordID.recordName =
        sent.share?.isZoneWide == true ? Share.zoneWideName : RecordID.randomName()
    }
    let removesParent = sent.parent?.recordID.recordName.isEmpty == true
    if removesParent { sent.parent = nil }
    do {
      let location = try call.named.location(
        of: sent.recordID.zoneID,
        for: call.modification.caller.user
      )
      // A change copies the record.
      if sent.recordID.zoneID != location.zone { sent.recordID.zoneID = location.zone }
      if let refusal { throw refusal }
      sent = try sent.settled(at: location, for: call.modification.caller.user)
      let known = try tables.schemas.plainFields(of: sent.recordType, in: call.database.id)
      let areKnown = known.cover(sent.fields)
      try sent.validate(namesAreKnown: areKnown)
      try sent.checkUserRecord(savedBy: call.modification.caller.user)
      let zone = try zone(sent.recordID.zoneID, call, &plan)
      let row = try tables.records.row(sent.recordID.recordName, in: zone)
      if row?.body == nil { try checkNameIsFree(for: sent, call) }
      var old: Record?
      if let access = call.access {
        old = try row.flatMap(decoded)
        // Before the comparison: a conflict shows what is stored.
        try access.check(saving: sent, over: old, in: zone)
      }
      let isShare = sent.share != nil
      let creates = policy == .replaceIfUnchanged && row?.body == nil
      if policy.compares || isShare, !creates, let conflict = sent.conflict(with: row) {
        try fail(item, sent.recordID, conflict, row, sent.changeTag, in: zone, call, &plan)
        return
      }
      if call.access == nil { old = try row.flatMap(decoded) }
      try stepIfLarge(row?.body)
      var new = try sent.merged(
        into: old,
        replacing: policy.replaces && !isShare,
        in: zone,
        call.modification
      )
      if removesParent { new.parent = nil }
      if isShare { new.share = try share(of: new, over: old, in: zone, call) }
      // Shares are in no schema, and what was compared with it need not be again.
      let needsNoCheck =
        isShare || (areKnown && known.isKnownToAll && new.fields.isSame(as: sent.fields))
      let discovery = needsNoCheck ? SchemaDiscovery() : try checkTypes(of: new, call, plan)
      try limits.checkMemberCount(of: new)
      let named = try tables.assets.check(
        new,
        replacing: old,
        from: call.assetSource,
        in: call.database
      )
      for follower in tables.followers {
        try follower.check(new, replacing: old, in: zone, of: call.database)
        try plan.take(
          entries: follower.entryCount(new, replacing: old, in: call.database),
          of: new.recordID
        )
      }
      try stepIfLarge(row?.body)
      let body = codec.encode(new)
      guard body.count <= limits.recordBytesMax else {
        throw ItemError(
          .limitExceeded,
          "record '\(new.recordID.recordName)' has \(body.count) bytes and may have "
            + "\(limits.recordBytesMax): move large values into assets"
        )
      }
      plan.write(
        RecordPlan.Write(
          item: item,
          zone: zone,
          name: new.recordID.recordName,
          row: RecordTable.Row(
            sequence: zone.head + 1,
            recordType: new.recordType,
            body: body
          ),
          replaced: row,
          old: old,
          new: new,
          adopted: named.adopted,
          redeemedBytes: named.redeemed.isEmpty ? 0 : plan.redeem(named.redeemed),
          discovery: discovery
        ),
        outcome: .saved(new)
      )
    } catch let error as ItemError {
      plan.fail(item, sent.recordID, error)
    }
  }

  /// A step of deciding on a record is done, which takes long if what is stored is large.
  private func stepIfLarge(_ body: [UInt8]?) throws(LongCall) {
    if let body, body.count >= Self.largeBodyBytes { try pace.decisionStep() }
  }

  private static let largeBodyBytes = 128 << 10

  /// Whether the caller may read a record that is there.
  func canRead(_ recordName: String, in zone: ZoneEntry, _ call: RecordCall) throws -> Bool {
    guard let access = call.access else { return true }
    guard let row = try tables.records.row(recordName, in: zone), row.body != nil else {
      return false
    }
    return try access.canRead(
      RecordID(recordName: recordName, zoneID: zone.id),
      of: row.recordType,
      in: zone,
      creator: { try decoded(row)?.creator ?? "" }
    )
  }

  /// The record in a row; `nil` for a tombstone.
  func decoded(_ row: RecordTable.Row) throws -> Record? {
    try row.body.map { body in try body.withUnsafeBytes { try codec.decodeRecord($0) } }
  }

  private func checkTypes(
    of new: Record,
    _ call: RecordCall,
    _ plan: RecordPlan
  ) throws -> SchemaDiscovery {
    do {
      return try tables.schemas.check(
        new.fields,
        of: new.recordType,
        in: call.database.id,
        planned: plan.discovered,
        by: mayTeach == nil ? nil : call.modification.caller.user,
        teaches: { [mayTeach] in
          try mayTeach?(call.modification.caller.user, call.database.id.container) ?? true
        }
      )
    } catch var error as ItemError {
      error.message = "record '\(new.recordID.recordName)': " + error.message
      throw error
    }
  }

  private func planDeletion(
    _ recordID: RecordID,
    expecting tag: String,
    item: Int,
    _ call: RecordCall,
    plan: inout RecordPlan
  ) throws {
    var recordID = recordID
    do {
      recordID.zoneID =
        try call.named.location(of: recordID.zoneID, for: call.modification.caller.user).zone
      try recordID.validate()
      let zone = try zone(recordID.zoneID, call, &plan)
      if let participant = call.participant,
        try planLeaving(recordID, item: item, in: zone, participant, call, &plan)
      {
        return
      }
      let row = try tables.records.row(recordID.recordName, in: zone)
      let stored = try row.flatMap(decoded)
      try checkDeletion(of: recordID, stored, call)
      guard let row, let old = stored, try call.access?.check(deleting: old, in: zone) ?? true
      else {
        guard tag.isEmpty else { throw recordID.absence }
        plan.succeed(item, in: recordID.zoneID, outcome: .deleted(recordID))
        return
      }
      if !tag.isEmpty, let conflict = recordID.conflict(expecting: tag, with: row) {
        return try fail(item, recordID, conflict, row, tag, in: zone, call, &plan)
      }
      plan.write(
        RecordPlan.Write(
          item: item,
          zone: zone,
          name: recordID.recordName,
          row: RecordTable.Row(
            sequence: zone.head + 1,
            recordType: row.recordType,
            body: nil
          ),
          replaced: row,
          old: old,
          new: nil
        ),
        outcome: .deleted(recordID)
      )
    } catch let error as ItemError {
      plan.fail(item, recordID, error)
    }
  }

  private func zone(
    _ id: ZoneID,
    _ call: RecordCall,
    _ plan: inout RecordPlan
  ) throws -> ZoneEntry {
    let (catalog, database) = (tables.catalog, call.database)
    if let participant = call.participant {
      guard let zone = try catalog.zone(id, in: database), try !participant.shares(in: zone).isEmpty
      else { throw ItemError.zoneNotShared(id, by: database.id.owner) }
      return zone
    }
    if let zone = try catalog.zone(id, in: database) { return zone }
    guard id == .default else {
      throw try catalog.absence(of: id, in: database, scope: database.id.scope)
    }
    if let planned = plan.defaultZone { return planned }
    let planned = try catalog.plannedZone(id, in: database, at: call.modification.timestamp)
    plan.defaultZone = planned
    return planned
  }

  /// An item fails, because what is stored is not what the client had read.
  private func fail(
    _ item: Int,
    _ recordID: RecordID,
    _ conflict: ItemError,
    _ row: RecordTable.Row?,
    _ changeTag: String,
    in zone: ZoneEntry,
    _ call: RecordCall,
    _ plan: inout RecordPlan
  ) throws {
    let ancestor = try ancestor(
      of: row,
      changeTag,
      since: call.participant?.known(recordID.recordName, in: zone) ?? 0,
      steps: &plan.ancestorSteps
    )
    plan.fail(
      item,
      recordID,
      conflict,
      ConflictRecords(server: row?.body, ancestor: ancestor)
    )
  }

  /// What the client had read: the version whose change tag it sent, unless it was replaced before the
  /// caller might know it.
  private func ancestor(
    of row: RecordTable.Row?,
    _ changeTag: String,
    since first: Int64,
    steps: inout Int
  ) throws -> [UInt8]? {
    guard let row, let sequence = RecordTable.sequence(ofChangeTag: changeTag),
      sequence < row.sequence
    else { return nil }
    let found = try tables.ancestors.version(
      from: row.previous,
      replacedAt: row.sequence,
      asOf: sequence,
      steps: &steps
    )
    guard case .present(sequence, let body) = found.version, found.replacedAt > first else {
      return nil
    }
    return body
  }
}
