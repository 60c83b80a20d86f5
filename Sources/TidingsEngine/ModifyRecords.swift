internal import TidingsModel
internal import TidingsSQL

/// Saves and deletes records: decides everything for a call, then writes it.
final class ModifyRecords {
  private let catalog: Catalog
  private let records: RecordTable
  private let schemas: SchemaTable
  private let channels: ChannelRegistry
  private let events: EventLog
  private let followers: [any RecordFollower]
  private let codec: any BodyCodec
  private let limits: Limits

  init(
    catalog: Catalog,
    records: RecordTable,
    schemas: SchemaTable,
    channels: ChannelRegistry,
    events: EventLog,
    followers: [any RecordFollower],
    codec: any BodyCodec,
    limits: Limits
  ) {
    self.catalog = catalog
    self.records = records
    self.schemas = schemas
    self.channels = channels
    self.events = events
    self.followers = followers
    self.codec = codec
    self.limits = limits
  }

  /// Applies the changes of one call within the open transaction.
  ///
  /// - Returns: An outcome for each save, then for each deletion.
  /// - Throws: What fails the call as a whole: `ItemError` before anything is written, or `SQLError`.
  func callAsFunction(
    _ changes: RecordChanges,
    caller: Caller,
    at time: Timestamp
  ) throws
    -> [RecordOutcome]
  {
    try checkCall(changes)
    let database = try catalog.makeDatabase(changes.database)
    var plan = RecordPlan(itemCount: changes.saves.count + changes.deletions.count)
    for (item, record) in changes.saves.enumerated() {
      try planSave(
        record,
        item: item,
        policy: changes.policy,
        in: database,
        stamp: Record.Stamp(timestamp: time, caller: caller),
        plan: &plan
      )
    }
    for (offset, recordID) in changes.deletions.enumerated() {
      try planDeletion(
        recordID,
        item: changes.saves.count + offset,
        in: database,
        at: time,
        plan: &plan
      )
    }
    if changes.isAtomic { plan.applyAtomicity() }
    try apply(plan, in: database, caller: caller, at: time)
    return plan.outcomes.compactMap(\.self)
  }

  // MARK: Deciding

  private func checkCall(_ changes: RecordChanges) throws(ItemError) {
    let count = changes.saves.count + changes.deletions.count
    try limits.check(itemCount: count)
    guard count > 1 else { return }
    var seen = Set<RecordID>(minimumCapacity: count)
    let named = changes.saves.lazy.map(\.recordID).filter { !$0.recordName.isEmpty }
    for recordID in Array(named) + changes.deletions where !seen.insert(recordID).inserted {
      throw ItemError(
        .invalidArguments,
        "record \(Identifier.shown(recordID.recordName)) stands in the call twice: send one change "
          + "for each record"
      )
    }
  }

  private func planSave(
    _ sent: Record,
    item: Int,
    policy: RecordChanges.SavePolicy,
    in database: DatabaseEntry,
    stamp: Record.Stamp,
    plan: inout RecordPlan
  ) throws {
    var sent = sent
    if sent.recordID.recordName.isEmpty { sent.recordID.recordName = randomRecordName() }
    do {
      try sent.validate()
      try refuseWhatIsNotKept(sent)
      let zone = try zone(sent.recordID.zoneID, in: database, at: stamp.timestamp)
      let row = try records.row(sent.recordID.recordName, in: zone)
      if policy == .ifServerRecordUnchanged, let conflict = conflict(sent, with: row) {
        plan.fail(item, sent.recordID, conflict, serverRecord: row?.body)
        return
      }
      let old = try row?.body.map { body in
        try body.withUnsafeBytes { try codec.decodeRecord($0) }
      }
      let new = try merge(sent, into: old, in: zone, stamp: stamp)
      let discovery = try schemas.check(
        new.fields,
        of: new.recordType,
        in: database.id,
        planned: plan.discovered
      )
      try checkMemberCount(of: new)
      for follower in followers {
        try follower.check(new, replacing: old, in: zone, of: database)
      }
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
          replacesRow: row != nil,
          old: old,
          new: new,
          discovery: discovery
        ),
        outcome: .saved(new)
      )
    } catch let error as ItemError {
      plan.fail(item, sent.recordID, error)
    }
  }

  private func checkMemberCount(of record: Record) throws(ItemError) {
    let count = record.fields.memberCount
    guard count <= limits.listMembersPerRecordMax else {
      throw ItemError(
        .limitExceeded,
        "record '\(record.recordID.recordName)' has lists with \(count) members together and may "
          + "have \(limits.listMembersPerRecordMax): spread them over several records"
      )
    }
  }

  private func planDeletion(
    _ recordID: RecordID,
    item: Int,
    in database: DatabaseEntry,
    at time: Timestamp,
    plan: inout RecordPlan
  ) throws {
    do {
      try recordID.validate()
      let zone = try zone(recordID.zoneID, in: database, at: time)
      guard let row = try records.row(recordID.recordName, in: zone), let body = row.body else {
        plan.succeed(item, in: recordID.zoneID, outcome: .deleted(recordID))
        return
      }
      let old = try body.withUnsafeBytes { try codec.decodeRecord($0) }
      plan.write(
        RecordPlan.Write(
          item: item,
          zone: zone,
          name: recordID.recordName,
          row: RecordTable.Row(
            sequence: zone.head + 1,
            recordType: row.recordType,
            body: nil,
            deleted: time
          ),
          replacesRow: true,
          old: old,
          new: nil,
          discovery: SchemaDiscovery()
        ),
        outcome: .deleted(recordID)
      )
    } catch let error as ItemError {
      plan.fail(item, recordID, error)
    }
  }

  private func zone(
    _ id: ZoneID,
    in database: DatabaseEntry,
    at time: Timestamp
  ) throws
    -> ZoneEntry
  {
    if let zone = try catalog.zone(id, in: database) { return zone }
    guard id == .default else {
      throw ItemError(
        .zoneNotFound,
        "zone '\(id.zoneName)' does not exist: create it, then save again"
      )
    }
    return try catalog.makeZone(id, in: database, at: time)
  }

  private func conflict(_ sent: Record, with row: RecordTable.Row?) -> ItemError? {
    let name = sent.recordID.recordName
    guard let row, row.body != nil else {
      guard !sent.changeTag.isEmpty else { return nil }
      return ItemError(
        .unknownItem,
        "record '\(name)' was sent with a change tag and does not exist: remove the tag to create it"
      )
    }
    guard sent.changeTag != row.changeTag else { return nil }
    return ItemError(
      .serverRecordChanged,
      sent.changeTag.isEmpty
        ? "record '\(name)' exists and was sent without a change tag: merge your changes into the "
          + "server's record and save that"
        : "record '\(name)' has the change tag '\(row.changeTag)', not '\(sent.changeTag)': merge "
          + "your changes into the server's record and save that"
    )
  }

  private func merge(
    _ sent: Record,
    into old: Record?,
    in zone: ZoneEntry,
    stamp: Record.Stamp
  )
    throws(ItemError) -> Record
  {
    if let old, old.recordType != sent.recordType {
      throw ItemError(
        .invalidArguments,
        "record '\(sent.recordID.recordName)' has the type '\(old.recordType)', not "
          + "'\(sent.recordType)': the type of a record cannot change"
      )
    }
    var new = sent
    new.fields = (old?.fields ?? RecordFields()).applying(sent.fields)
    new.changeTag = RecordTable.changeTag(zone.head + 1)
    new.created = old?.created ?? stamp
    new.modified = stamp
    return new
  }

  /// Refuses what would be promised and not kept: this store neither follows nor checks references,
  /// and has no assets.
  private func refuseWhatIsNotKept(_ record: Record) throws(ItemError) {
    func refuse(_ what: String, _ remedy: String) -> ItemError {
      ItemError(
        .invalidArguments,
        "record '\(record.recordID.recordName)': \(what) is not supported by this server: \(remedy)"
      )
    }
    guard record.parent == nil else { throw refuse("a parent", "send the record without it") }
    for field in record.fields.sorted {
      switch field.value {
      case .reference(let reference) where reference.action != .none:
        throw refuse("an action of the reference '\(field.name)'", "use the action NONE")
      case .referenceList(let references) where references.contains { $0.action != .none }:
        throw refuse("an action in the references '\(field.name)'", "use the action NONE")
      case .asset, .assetList:
        throw refuse("the asset '\(field.name)'", "store small values as bytes")
      default: break
      }
    }
  }

  private func randomRecordName() -> String {
    let bytes = Cryptography.randomBytes(16)
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
    return groups.map { Array(bytes[$0]).hexadecimal.uppercased() }.joined(separator: "-")
  }

  // MARK: Writing

  private func apply(
    _ plan: RecordPlan,
    in database: DatabaseEntry,
    caller: Caller,
    at time: Timestamp
  )
    throws
  {
    var taken: [(zone: ZoneEntry, sequence: Int64)] = []
    for (position, write) in plan.writes.enumerated() {
      if !taken.contains(where: { $0.zone === write.zone }) {
        let sequence = catalog.advance(write.zone)
        precondition(sequence == write.row.sequence, "the zone moved between planning and writing")
        taken.append((write.zone, sequence))
      }
      try records.write(
        write.row,
        name: write.name,
        position: position,
        in: write.zone,
        replacing: write.replacesRow
      )
      try schemas.learn(write.discovery, of: write.row.recordType, in: database.id)
      for follower in followers { try follower.follow(write, in: database, at: time) }
    }
    for write in plan.writes {
      try events.fire(
        old: write.old,
        new: write.new,
        zone: write.zone.id,
        in: database,
        caller: caller,
        at: time
      )
    }
  }
}
