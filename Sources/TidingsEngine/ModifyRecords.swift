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
    let channels: ChannelRegistry
    let events: EventLog
    let followers: [any RecordFollower]
  }

  private let tables: Tables
  private let codec: any BodyCodec
  private let limits: Limits

  init(_ tables: Tables, codec: any BodyCodec, limits: Limits) {
    self.tables = tables
    self.codec = codec
    self.limits = limits
  }

  /// Applies the changes of one call within the open transaction.
  ///
  /// - Throws: What fails the call as a whole: `ItemError` before anything is written, or `SQLError`.
  func callAsFunction(
    _ changes: RecordChanges,
    caller: Caller,
    at time: Timestamp
  ) throws -> ModifiedRecords {
    try checkCall(changes)
    try tables.clientTokens.check(changes.clientChangeToken, of: caller)
    let scene = Scene(
      database: try database(changes),
      stamp: Record.Stamp(timestamp: time, caller: caller),
      isDryRun: changes.isDryRun
    )
    let plan = try plan(changes, scene)
    var result = ModifiedRecords(outcomes: plan.outcomes.compactMap(\.self))
    result.cascadedDeletions =
      changes.isDryRun
      ? try foretell(plan, scene) : try apply(plan, scene, mark: changes.clientChangeToken)
    return result
  }

  /// Where a call works, for whom and when.
  private struct Scene {
    let database: DatabaseEntry
    let stamp: Record.Stamp
    let isDryRun: Bool
  }

  /// The database; for a dry run one that has no number yet need not be written.
  private func database(_ changes: RecordChanges) throws -> DatabaseEntry {
    guard changes.isDryRun else { return try tables.catalog.makeDatabase(changes.database) }
    return try tables.catalog.database(changes.database)
      ?? DatabaseEntry(number: 0, id: changes.database, head: 0)
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

  private func plan(_ changes: RecordChanges, _ scene: Scene) throws -> RecordPlan {
    let itemCount = changes.saves.count + changes.deletions.count
    var plan = RecordPlan(itemCount: itemCount, limits: limits)
    for (item, record) in changes.saves.enumerated() {
      try planSave(record, item: item, policy: changes.policy, scene, plan: &plan)
    }
    for (offset, recordID) in changes.deletions.enumerated() {
      try planDeletion(recordID, item: changes.saves.count + offset, scene, plan: &plan)
    }
    if changes.isAtomic { plan.applyAtomicity() }
    try planReferences(&plan, isAtomic: changes.isAtomic)
    return plan
  }

  private func planSave(
    _ sent: Record,
    item: Int,
    policy: RecordChanges.SavePolicy,
    _ scene: Scene,
    plan: inout RecordPlan
  ) throws {
    var sent = sent
    if sent.recordID.recordName.isEmpty { sent.recordID.recordName = randomRecordName() }
    let removesParent = sent.parent?.recordID.recordName.isEmpty == true
    if removesParent { sent.parent = nil }
    do {
      try sent.validate()
      try refuseWhatIsNotKept(sent)
      let zone = try zone(sent.recordID.zoneID, scene)
      let row = try tables.records.row(sent.recordID.recordName, in: zone)
      if policy == .ifServerRecordUnchanged, let conflict = conflict(sent, with: row) {
        let ancestor = try ancestor(of: row, sent.changeTag, steps: &plan.ancestorSteps)
        plan.fail(
          item,
          sent.recordID,
          conflict,
          ConflictRecords(server: row?.body, ancestor: ancestor)
        )
        return
      }
      let old = try row?.body.map { body in
        try body.withUnsafeBytes { try codec.decodeRecord($0) }
      }
      var new = try merge(sent, into: old, in: zone, stamp: scene.stamp)
      if removesParent { new.parent = nil }
      let discovery = try checkTypes(of: new, scene, plan)
      try checkMemberCount(of: new)
      for follower in tables.followers {
        try follower.check(new, replacing: old, in: zone, of: scene.database)
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
          replaced: row,
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

  private func checkTypes(
    of new: Record,
    _ scene: Scene,
    _ plan: RecordPlan
  ) throws -> SchemaDiscovery {
    do {
      return try tables.schemas.check(
        new.fields,
        of: new.recordType,
        in: scene.database.id,
        planned: plan.discovered
      )
    } catch var error as ItemError {
      error.message = "record '\(new.recordID.recordName)': " + error.message
      throw error
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
    _ scene: Scene,
    plan: inout RecordPlan
  ) throws {
    do {
      try recordID.validate()
      let zone = try zone(recordID.zoneID, scene)
      guard let row = try tables.records.row(recordID.recordName, in: zone), let body = row.body
      else {
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
            body: nil
          ),
          replaced: row,
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

  private func zone(_ id: ZoneID, _ scene: Scene) throws -> ZoneEntry {
    let (catalog, database) = (tables.catalog, scene.database)
    if let zone = try catalog.zone(id, in: database) { return zone }
    guard id == .default else {
      throw try catalog.absence(of: id, in: database, scope: database.id.scope)
    }
    guard scene.isDryRun else {
      return try catalog.makeZone(id, in: database, at: scene.stamp.timestamp)
    }
    return ZoneEntry(
      number: 0,
      id: id,
      created: scene.stamp.timestamp,
      head: 0,
      database: database
    )
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

  /// What the client had read: the version whose change tag it sent.
  private func ancestor(
    of row: RecordTable.Row?,
    _ changeTag: String,
    steps: inout Int
  ) throws -> [UInt8]? {
    guard let row, let sequence = RecordTable.sequence(ofChangeTag: changeTag),
      sequence < row.sequence,
      case .present(sequence, let body) = try tables.ancestors.version(
        from: row.previous,
        asOf: sequence,
        steps: &steps
      )
    else { return nil }
    return body
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
    new.parent = sent.parent ?? old?.parent
    new.changeTag = RecordTable.changeTag(zone.head + 1)
    new.created = old?.created ?? stamp
    new.modified = stamp
    return new
  }

  /// Refuses what would be promised and not kept: this store has no assets.
  private func refuseWhatIsNotKept(_ record: Record) throws(ItemError) {
    for field in record.fields.sorted {
      switch field.value {
      case .asset, .assetList:
        throw ItemError(
          .invalidArguments,
          "record '\(record.recordID.recordName)': the asset '\(field.name)' is not supported by this "
            + "server: store small values as bytes"
        )
      default: break
      }
    }
  }

  private func randomRecordName() -> String {
    let bytes = Cryptography.randomBytes(16)
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
    return groups.map { Array(bytes[$0]).hexadecimal.uppercased() }.joined(separator: "-")
  }

  // MARK: References

  /// Decides what references allow; a call that has none does not come past the guard.
  private func planReferences(_ plan: inout RecordPlan, isAtomic: Bool) throws {
    guard try hasReferences(plan) else { return }
    var saves: [ReferencePlan.Save] = []
    var deletions: [ReferencePlan.Deletion] = []
    var zones: [ZoneID: ZoneEntry] = [:]
    for write in plan.writes {
      guard let item = write.item else { continue }
      let recordID = RecordID(recordName: write.name, zoneID: write.zone.id)
      zones[write.zone.id] = write.zone
      if let new = write.new {
        saves.append(
          ReferencePlan.Save(
            item: item,
            recordID: recordID,
            references: new.bindingReferences,
            old: Set(write.old?.bindingReferences ?? []),
            exists: write.old != nil
          )
        )
      } else {
        deletions.append(ReferencePlan.Deletion(item: item, recordID: recordID))
      }
    }
    let stored = ReferencePlan.Stored(
      sources: { [tables] id in
        try zones[id.zoneID].map { try tables.references.sources(of: id.recordName, in: $0) } ?? []
      },
      exists: { [tables] id in
        try zones[id.zoneID].flatMap { try tables.records.recordType(id.recordName, in: $0) } != nil
      }
    )
    let decided = try ReferencePlan(
      saves: saves,
      deletions: deletions,
      failed: plan.failed,
      isAtomic: isAtomic,
      limits: limits,
      stored: stored
    )
    plan.fail(decided.failures)
    plan.cascades = decided.cascades
    if isAtomic { plan.applyAtomicity() }
  }

  private func hasReferences(_ plan: RecordPlan) throws -> Bool {
    try plan.writes.contains { write in
      if let new = write.new { return !new.bindingReferences.isEmpty }
      return try !tables.references.sources(of: write.name, in: write.zone).isEmpty
    }
  }

  // MARK: Writing

  private func apply(
    _ plan: RecordPlan,
    _ scene: Scene,
    mark: [UInt8]
  ) throws -> [CascadedDeletion] {
    var taken: [ZoneEntry] = []
    for (position, write) in plan.writes.enumerated() {
      if !taken.contains(where: { $0 === write.zone }) {
        let sequence = tables.catalog.advance(write.zone)
        precondition(sequence == write.row.sequence, "the zone moved between planning and writing")
        taken.append(write.zone)
      }
      try apply(write, at: position, scene)
      try tables.schemas.learn(write.discovery, of: write.row.recordType, in: scene.database.id)
    }
    for write in plan.writes { try fire(write, scene) }

    // What goes along may be much: it is not held in memory together.
    var cascaded: [CascadedDeletion] = []
    for (offset, cascade) in plan.cascades.enumerated() {
      let write = try write(for: cascade, among: taken)
      try apply(write, at: plan.writes.count + offset, scene)
      try fire(write, scene)
      cascaded.append(CascadedDeletion(cascade, write.row.recordType))
    }
    if !mark.isEmpty {
      for zone in taken {
        try tables.clientTokens.keep(
          mark,
          of: scene.stamp.caller,
          in: zone,
          at: scene.stamp.timestamp
        )
      }
    }
    return cascaded
  }

  private func apply(_ write: RecordPlan.Write, at position: Int, _ scene: Scene) throws {
    var row = write.row
    row.previous = try write.replaced.map {
      try tables.ancestors.append($0, at: scene.stamp.timestamp)
    }
    try tables.records.write(
      row,
      name: write.name,
      position: position,
      in: write.zone,
      replacing: write.replaced,
      at: scene.stamp.timestamp
    )
    for follower in tables.followers {
      try follower.follow(write, in: scene.database, at: scene.stamp.timestamp)
    }
  }

  private func fire(_ write: RecordPlan.Write, _ scene: Scene) throws {
    try tables.events.fire(
      old: write.old,
      new: write.new,
      zone: write.zone.id,
      in: scene.database,
      caller: scene.stamp.caller,
      at: scene.stamp.timestamp
    )
  }

  private func write(
    for cascade: ReferencePlan.Cascade,
    among zones: [ZoneEntry]
  ) throws -> RecordPlan.Write {
    let name = cascade.recordID.recordName
    guard let zone = zones.first(where: { $0.id == cascade.recordID.zoneID }),
      let row = try tables.records.row(name, in: zone), let body = row.body
    else { throw missingSource(name) }
    return RecordPlan.Write(
      item: nil,
      zone: zone,
      name: name,
      row: RecordTable.Row(sequence: zone.head, recordType: row.recordType, body: nil),
      replaced: row,
      old: try body.withUnsafeBytes { try codec.decodeRecord($0) },
      new: nil,
      discovery: SchemaDiscovery()
    )
  }

  private func missingSource(_ name: String) -> SQLError {
    SQLError(.damaged, "the record '\(name)' refers to another one and is missing")
  }

  /// What would go along, without a write.
  private func foretell(_ plan: RecordPlan, _ scene: Scene) throws -> [CascadedDeletion] {
    try plan.cascades.map { cascade in
      let name = cascade.recordID.recordName
      guard let zone = try tables.catalog.zone(cascade.recordID.zoneID, in: scene.database),
        let type = try tables.records.recordType(name, in: zone)
      else { throw missingSource(name) }
      return CascadedDeletion(cascade, type)
    }
  }
}

extension CascadedDeletion {
  fileprivate init(_ cascade: ReferencePlan.Cascade, _ recordType: String) {
    self.init(recordID: cascade.recordID, recordType: recordType, target: cascade.target)
  }
}
