internal import TidingsCodec
internal import TidingsModel

extension ModifyRecords {
  /// Rounds in which items fail because of shares, and others because of them; what is not decided by
  /// then is refused.
  private static let sharingRoundsMax = 10

  // MARK: A share's own record

  /// What the record of a share will say; its tag was compared.
  func share(
    of new: Record,
    over old: Record?,
    in zone: ZoneEntry,
    _ call: RecordCall
  ) throws -> Share? {
    let name = new.recordID.recordName
    guard call.database.id.scope == .private, zone.id != .default else {
      throw ItemError(
        .badDatabase,
        "share '\(name)': only zones of the private database can be shared, and not the default zone: "
          + "create a zone, and keep there what is to be shared"
      )
    }
    let makeURL = {
      ShareURL(
        container: call.database.id.container,
        environment: call.database.id.environment,
        token: Cryptography.randomBytes(ShareURL.tokenBytes)
      ).description
    }
    var share = try new.share?.saved(
      over: old?.share,
      ShareSaving(
        owner: call.database.id.owner,
        name: name,
        isByAdministrator: call.participant != nil,
        time: call.modification.timestamp,
        limits: limits,
        makeURL: makeURL,
        isKnown: isKnownUser
      )
    )
    share?.url = old?.share?.url ?? makeURL()
    return share
  }

  /// A participant who deletes a share leaves it.
  ///
  /// - Returns: Whether it is a share that the participant has accepted.
  /// - Throws: `SQLError`.
  func planLeaving(
    _ recordID: RecordID,
    item: Int,
    in zone: ZoneEntry,
    _ participant: ParticipantAccess,
    _ call: RecordCall,
    _ plan: inout RecordPlan
  ) throws -> Bool {
    guard
      try participant.shares(in: zone).contains(where: { $0.name == recordID.recordName }),
      let row = try tables.records.row(recordID.recordName, in: zone), let old = try decoded(row),
      let share = old.share
    else { return false }
    let new = old.changed(
      share: share.left(by: call.modification.caller.user),
      in: zone,
      call.modification
    )
    plan.write(write(new, over: old, row, item: item, in: zone), outcome: .deleted(recordID))
    return true
  }

  /// Changes a share in the name of a participant who may not do so otherwise.
  ///
  /// - Parameters:
  ///   - name: The share's record.
  ///   - zone: Its zone.
  ///   - context: The call of who accepts, or asks.
  ///   - isRequest: The caller is no participant: the record does not name the caller as who modified it,
  ///     and the owner must have room for the change.
  ///   - change: Returns the share as it is to be; `nil`: it stays as it is.
  /// - Returns: The record; `nil`: there is none.
  /// - Throws: What `change` throws; `ItemError` `limitExceeded`; `SQLError`.
  func changeShare(
    _ name: String,
    in zone: ZoneEntry,
    by context: CallContext,
    isRequest: Bool = false,
    _ change: (Share) throws -> Share?
  ) throws -> Record? {
    guard let row = try tables.records.row(name, in: zone), let old = try decoded(row),
      let share = old.share
    else { return nil }
    guard let changed = try change(share) else { return old }
    let call = RecordCall(context, database: zone.database, named: zone.database.id, access: nil)
    let modification = isRequest ? old.modified ?? call.modification : call.modification
    let new = old.changed(share: changed, in: zone, modification)
    var plan = RecordPlan(
      atomicity: Atomicity(requested: true, scope: .private),
      limits: limits
    )
    plan.write(write(new, over: old, row, item: 0, in: zone), outcome: .saved(new))
    if isRequest {
      try planQuota(&plan, call)
      guard !plan.writes.isEmpty else { throw ItemError.noRoomForRequests(limits) }
    }
    // Other shares may have been changed before, in the same call.
    _ = try planShares(&plan, call, mayGiveUp: false)
    _ = try apply(plan, call, mark: [])
    return new
  }

  private func write(
    _ new: Record,
    over old: Record,
    _ row: RecordTable.Row,
    item: Int?,
    in zone: ZoneEntry
  ) -> RecordPlan.Write {
    RecordPlan.Write(
      item: item,
      zone: zone,
      name: new.recordID.recordName,
      row: RecordTable.Row(
        sequence: zone.head + 1,
        recordType: new.recordType,
        body: codec.encode(new)
      ),
      replaced: row,
      old: old,
      new: new
    )
  }

  // MARK: What shares hold

  /// Decides what the call does to shares; one in zones without shares does not come past the guard.
  ///
  /// - Parameters:
  ///   - plan: What is decided so far.
  ///   - call: The call.
  ///   - mayGiveUp: Nothing is written yet.
  /// - Returns: Whether something failed.
  /// - Throws: `LongCall`; `SQLError`.
  func planShares(
    _ plan: inout RecordPlan,
    _ call: RecordCall,
    mayGiveUp: Bool = true
  ) throws -> Bool {
    guard try isAboutShares(plan, mayGiveUp) else { return false }
    let budget = call.sharingBudget ?? SharingBudget(limits)
    for round in 0..<Self.sharingRoundsMax {
      let failures = try failures(of: &plan, call, budget, mayGiveUp)
      guard !failures.isEmpty else { return round > 0 }
      plan.removeFollowingWrites()
      plan.sharing = []
      plan.cascades = []
      plan.fail(failures)
      plan.applyAtomicity()
      _ = try planReferences(&plan, call, mayGiveUp: mayGiveUp)
    }
    var failures: [Int: ItemError] = [:]
    for write in plan.writes {
      guard let item = write.item else { continue }
      failures[item] = ItemError(
        .limitExceeded,
        "record '\(write.name)': the records of this call depend on each other and on shares in too "
          + "many steps, because some cannot be changed: fix these first, their errors have the reason"
      )
    }
    plan.removeFollowingWrites()
    (plan.sharing, plan.cascades) = ([], [])
    plan.fail(failures)
    return true
  }

  private func isAboutShares(_ plan: RecordPlan, _ mayGiveUp: Bool) throws -> Bool {
    try plan.writes.contains { write in
      try write.row.recordType == Share.recordType
        || !tables.shares.shares(of: write.zone, mayGiveUp: mayGiveUp).isEmpty
    }
  }

  private func failures(
    of plan: inout RecordPlan,
    _ call: RecordCall,
    _ budget: SharingBudget,
    _ mayGiveUp: Bool
  ) throws -> [Int: ItemError] {
    var zones: [ZoneEntry] = []
    for write in plan.writes where !zones.contains(where: { $0 === write.zone }) {
      zones.append(write.zone)
    }
    var failures: [Int: ItemError] = [:]
    let cascadesByZone = Dictionary(grouping: plan.cascades, by: \.recordID.zoneID)
    for zone in zones {
      let shares = try tables.shares.shares(of: zone)
      let cascades = cascadesByZone[zone.id] ?? []
      try nameShares(&plan, of: zone, shares, takingAlong: cascades, call)
      let decided = try SharingPlan(
        plan.writes.filter { $0.zone === zone }.map(SharingPlan.Change.init)
          + cascades.map {
            try pace.lookStep(mayGiveUp: mayGiveUp)
            return try change($0, in: zone)
          },
        shares,
        limits: limits,
        budget: budget,
        stored: stored(in: zone, shares, budget, mayGiveUp)
      )
      plan.sharing.append((zone, decided))
      failures.merge(decided.failures) { first, _ in first }
      guard let participant = call.participant else { continue }
      let takers = takers(ofShared: cascades, shares)
      for write in plan.writes where write.zone === zone && write.item != nil {
        guard let item = write.item, failures[item] == nil else { continue }
        failures[item] =
          try refusal(of: write, decided, participant, zone)
          ?? refusal(of: write, takers)
      }
    }
    return failures
  }

  private func change(
    _ cascade: ReferencePlan.Cascade,
    in zone: ZoneEntry
  ) throws -> SharingPlan.Change {
    let name = cascade.recordID.recordName
    return SharingPlan.Change(
      name: name,
      recordType: try tables.records.recordType(name, in: zone) ?? "",
      exists: true,
      isSaved: false
    )
  }

  private func stored(
    in zone: ZoneEntry,
    _ shares: ZoneShares,
    _ budget: SharingBudget,
    _ mayGiveUp: Bool
  ) -> SharingPlan.Stored {
    let (records, sharedRecords) = (tables.records, tables.sharedRecords)
    let step = { [pace] in try pace.lookStep(mayGiveUp: mayGiveUp) }
    return SharingPlan.Stored(
      share: {
        try step()
        return try sharedRecords.share(of: $0, in: zone)
      },
      parent: { [self] name in
        try step()
        guard let row = try records.row(name, in: zone), let body = row.body else { return nil }
        try budget.takeBytes(body.count)
        return try decoded(row)?.parent?.recordID.recordName
      },
      children: {
        try step()
        return try sharedRecords.children(of: $0, in: zone, limit: $1)
      },
      recordType: { try records.recordType($0, in: zone) },
      count: { number in
        let entry = shares.byNumber[number]
        if let known = entry?.recordCount { return known }
        try step()
        let count = try sharedRecords.recordCount(of: number)
        entry?.recordCount = count
        return count
      }
    )
  }

  /// A record that is shared with its descendants names its share, from the call that begins the share
  /// to the one that ends it.
  private func nameShares(
    _ plan: inout RecordPlan,
    of zone: ZoneEntry,
    _ shares: ZoneShares,
    takingAlong cascades: [ReferencePlan.Cascade],
    _ call: RecordCall
  ) throws {
    // The roots of shares that begin or end, with the name that they get.
    var names: [String: String] = [:]
    for write in plan.writes where write.zone === zone {
      guard let root = (write.new ?? write.old)?.share?.rootRecordName, !root.isEmpty else {
        continue
      }
      if write.new == nil {
        names[root] = ""
      } else if shares.byRoot[root] == nil, names[root] == nil {
        names[root] = write.name
      }
    }
    var others = Set(names.keys)
    for (index, write) in plan.writes.enumerated() where write.zone === zone {
      guard var new = write.new, new.share == nil else { continue }
      others.remove(write.name)
      let name = names[write.name] ?? shares.byRoot[write.name]?.name ?? ""
      guard new.shareRecordName != name else { continue }
      new.shareRecordName = name
      plan.replace(index, with: new, body: codec.encode(new))
    }
    for write in plan.writes where write.zone === zone && write.new == nil {
      others.remove(write.name)
    }
    let along = others.isEmpty ? [] : Set(cascades.map(\.recordID.recordName))
    for root in others.sorted() {
      guard let row = try tables.records.row(root, in: zone), var new = try decoded(row),
        let old = try decoded(row), old.share == nil,
        !along.contains(root)
      else { continue }
      new.shareRecordName = names[root] ?? ""
      new.changeTag = RecordTable.changeTag(zone.head + 1)
      new.modified = call.modification
      plan.write(write(new, over: old, row, item: nil, in: zone), outcome: .saved(new))
    }
  }

  // MARK: Participants

  /// Why a participant may not write a record, by what is shared; `nil`: the participant may.
  private func refusal(
    of write: RecordPlan.Write,
    _ decided: SharingPlan,
    _ participant: ParticipantAccess,
    _ zone: ZoneEntry
  ) throws -> ItemError? {
    // A share is written when somebody leaves.
    guard let new = write.new, new.share == nil,
      try participant.permission(inAllOf: zone) != .readWrite
    else { return nil }
    let membership = decided.memberships[write.name]
    guard write.old == nil else {
      guard membership?.old != membership?.new else { return nil }
      return ItemError(
        .permissionFailure,
        "record '\(write.name)' would no longer be in the share that holds it: only the owner moves "
          + "records out of shares and between them; keep its parent, or choose one in the same share"
      )
    }
    if case .stored(let share)? = membership?.new,
      try participant.permission(inShare: share, of: zone) == .readWrite
    {
      return nil
    }
    return ItemError(
      .permissionFailure,
      "record '\(write.name)' would be in no share: in a zone of which records are shared, set as its "
        + "parent a record that is shared with you with the permission READ_WRITE"
    )
  }

  /// The names of the deleted records whose deletion cascades to what is shared, or to a share's own record.
  private func takers(
    ofShared cascades: [ReferencePlan.Cascade],
    _ shares: ZoneShares
  ) -> Set<String> {
    // Targets come before their sources.
    var roots: [String: String] = [:]
    var takers: Set<String> = []
    for cascade in cascades {
      let (name, target) = (cascade.recordID.recordName, cascade.target.recordName)
      let root = roots[target] ?? target
      roots[name] = root
      if shares.byRoot[name] != nil || shares.byName[name] != nil { takers.insert(root) }
    }
    return takers
  }

  /// Nor does a participant delete what is shared by deleting what it refers to.
  private func refusal(of write: RecordPlan.Write, _ takers: Set<String>) -> ItemError? {
    guard write.new == nil, takers.contains(write.name) else { return nil }
    return ItemError(
      .permissionFailure,
      "record '\(write.name)' cannot be deleted: it would cascade to a shared record, which only the "
        + "owner can delete"
    )
  }

  // MARK: Writing

  /// Writes what was decided of a zone's shares; its records are written.
  func apply(_ plan: SharingPlan, in zone: ZoneEntry, _ call: RecordCall) throws {
    let shares = try tables.shares.shares(of: zone)
    func number(_ share: SharingPlan.ShareRef) -> Int64 {
      switch share {
      case .stored(let number): return number
      case .started(let name):
        guard let entry = shares.byName[name] else {
          preconditionFailure("a share begins, and its record is not written")
        }
        return entry.number
      }
    }
    var moved: Set<Int64> = []
    let unseen = plan.unseenNames
    for row in plan.rows {
      let share = number(row.share)
      moved.insert(share)
      try tables.sharedRecords.write(
        row.name,
        of: row.recordType,
        share: share,
        in: zone,
        goneAt: row.isGone ? call.steady : nil
      )
      pace.step()
      call.context.sharedChanges.note(
        share,
        in: zone,
        recordType: unseen.contains(row.name) ? nil : row.recordType
      )
      if plan.managedNames.contains(row.name) {
        call.context.sharedChanges.noteManaged(share, in: zone, recordType: row.recordType)
      }
    }
    for share in moved { try tables.shares.moveHead(of: share, to: zone.head) }
    for (share, count) in plan.added {
      shares.byNumber[number(share)]?.recordCount? += count
    }
    guard let zoneWide = shares.zoneWide else { return }
    call.context.sharedChanges.note(zoneWide.number, in: zone, recordType: nil)
    for type in plan.recordTypes {
      call.context.sharedChanges.note(zoneWide.number, in: zone, recordType: type)
    }
    guard !plan.managedNames.isEmpty else { return }
    call.context.sharedChanges.noteManaged(zoneWide.number, in: zone, recordType: Share.recordType)
  }
}

extension Record {
  /// The record of a share with another state.
  fileprivate func changed(
    share: Share,
    in zone: ZoneEntry,
    _ modification: Record.ModificationInfo
  ) -> Record {
    var new = self
    new.share = share
    new.changeTag = RecordTable.changeTag(zone.head + 1)
    new.modified = modification
    return new
  }
}

extension Record {
  /// It says the same to those with whom it is shared, as far as all of them see it.
  fileprivate func looksToParticipants(like other: Record) -> Bool {
    guard let share, let otherShare = other.share else { return looks(like: other) }
    guard share.withoutSecrets == otherShare.withoutSecrets else { return false }
    var seen = self
    seen.share = otherShare
    return seen.looks(like: other)
  }
}

extension SharingPlan.Change {
  fileprivate init(_ write: RecordPlan.Write) {
    self.init(
      item: write.item,
      name: write.name,
      recordType: write.row.recordType,
      exists: write.old != nil,
      isSaved: write.new != nil,
      oldParent: write.old?.parent?.recordID.recordName,
      newParent: write.new?.parent?.recordID.recordName,
      share: write.new?.share,
      looksAlike: write.old.flatMap { write.new?.looksToParticipants(like: $0) } ?? false,
      isManaged: write.old.flatMap { old in write.new.map { $0.share != old.share } } ?? false
    )
  }
}

extension ModifyRecords {
  /// A record that is there.
  func record(_ name: String, in zone: ZoneEntry) throws -> Record? {
    try tables.records.row(name, in: zone).flatMap(decoded)
  }

  /// The bytes of a record that is there.
  func body(_ name: String, in zone: ZoneEntry) throws -> [UInt8]? {
    try tables.records.row(name, in: zone)?.body
  }
}
