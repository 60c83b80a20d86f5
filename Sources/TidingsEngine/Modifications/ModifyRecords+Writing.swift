internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

extension ModifyRecords {
  /// Writes what was decided.
  func apply(
    _ plan: RecordPlan,
    _ call: RecordCall,
    mark: [UInt8]
  ) throws -> [CascadedDeletion] {
    if let zone = plan.defaultZone, plan.writes.contains(where: { $0.zone === zone }) {
      try tables.catalog.make(zone, by: call.modification.caller.user)
    }
    let taken = advanceZones(of: plan)
    try insertRows(of: plan)
    for (position, write) in plan.writes.enumerated() {
      pace.step()
      try apply(write, at: position, call)
      try tables.schemas.learn(
        write.discovery,
        of: write.row.recordType,
        in: call.database.id,
        by: mayTeach == nil ? nil : call.modification.caller.user
      )
    }
    for write in plan.writes {
      try fire(write, call)
      write.letGo()
      pace.step()
    }

    // What goes along may be much: it is not held in memory together.
    var shown = ShownCascades()
    for (offset, cascade) in plan.cascades.enumerated() {
      pace.step()
      let write = try write(for: cascade, among: taken)
      write.firings = plan.cascadeFirings[offset]
      try apply(write, at: plan.writes.count + offset, call)
      try fire(write, call)
      try shown.append(cascade, write.row.recordType, isReadable: isReadable(write, call))
    }
    for sharing in plan.sharing { try apply(sharing.plan, in: sharing.zone, call) }
    if !mark.isEmpty {
      for zone in taken {
        try tables.clientTokens.keep(
          mark,
          of: call.modification.caller,
          in: zone,
          at: call.steady
        )
      }
    }
    return shown.deletions
  }

  /// Advances the zones that a plan changes.
  private func advanceZones(of plan: RecordPlan) -> [ZoneEntry] {
    var advanced: [ZoneEntry] = []
    for write in plan.writes where !advanced.contains(where: { $0 === write.zone }) {
      let sequence = tables.catalog.advance(write.zone)
      precondition(sequence == write.row.sequence, "the zone moved between planning and writing")
      advanced.append(write.zone)
    }
    return advanced
  }

  /// Inserts the rows of records that have none yet.
  private func insertRows(of plan: RecordPlan) throws {
    for (position, write) in plan.writes.enumerated() where write.replaced == nil {
      try tables.records.insert(write.row, of: write.name, at: position, in: write.zone)
      pace.step()
    }
  }

  /// Replaces the row of a record that has one, and writes what depends on the record.
  private func apply(_ write: RecordPlan.Write, at position: Int, _ call: RecordCall) throws {
    if let replaced = write.replaced {
      var row = write.row
      // A feed reports the deletion only to those who could read the record.
      if row.body == nil, call.database.id.scope == .public { row.creator = write.old?.creator }
      row.previous = try tables.ancestors.append(replaced, at: call.steady)
      pace.step()
      try tables.records.replace(
        replaced,
        of: write.name,
        in: write.zone,
        with: row,
        position: position,
        at: call.steady
      )
      pace.step()
    }
    for asset in write.adopted {
      guard try tables.assets.claimContent(of: asset) else {
        throw SQLError(.conflict, "the content of an asset was removed meanwhile")
      }
      try tables.assets.add(
        asset,
        to: call.database,
        by: call.modification.caller.user,
        at: call.steady
      )
    }
    for follower in tables.followers {
      try follower.follow(write, in: call.database, of: call.context)
    }
  }

  private func fire(_ write: RecordPlan.Write, _ call: RecordCall) throws {
    if write.old == nil {
      try tables.zoneRemover.removePredecessors(of: write.name, in: write.zone)
    }
    try tables.firings.fire(
      old: write.old,
      new: write.new,
      zone: write.zone.id,
      in: call.database,
      firings: write.firings,
      of: call.context
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
      new: nil
    )
  }

  /// Whether the caller may know of what goes along.
  private func isReadable(_ write: RecordPlan.Write, _ call: RecordCall) throws -> Bool {
    guard let access = call.access else { return true }
    return try access.canRead(
      RecordID(recordName: write.name, zoneID: write.zone.id),
      of: write.row.recordType,
      in: write.zone,
      creator: { write.old?.creator ?? "" }
    )
  }

  private func missingSource(_ name: String) -> SQLError {
    SQLError(.damaged, "the record '\(name)' refers to another one and is missing")
  }

  /// What would go along, without a write.
  func preview(_ plan: RecordPlan, _ call: RecordCall) throws -> [CascadedDeletion] {
    var shown = ShownCascades()
    for cascade in plan.cascades {
      try pace.decisionStep()
      let name = cascade.recordID.recordName
      guard let zone = try tables.catalog.zone(cascade.recordID.zoneID, in: call.database),
        let type = try tables.records.recordType(name, in: zone)
      else { throw missingSource(name) }
      try shown.append(cascade, type, isReadable: canRead(name, in: zone, call))
    }
    return shown.deletions
  }
}

/// What went along, as far as the caller may know.
private struct ShownCascades {
  var deletions: [CascadedDeletion] = []
  /// For each record that the caller may not read: the one that took it along and is shown.
  private var shownTargets: [RecordID: RecordID] = [:]

  /// Adds what goes along; its target was added before.
  mutating func append(
    _ cascade: ReferencePlan.Cascade,
    _ recordType: String,
    isReadable: Bool
  ) {
    let target = shownTargets[cascade.target] ?? cascade.target
    guard isReadable else {
      shownTargets[cascade.recordID] = target
      return
    }
    deletions.append(
      CascadedDeletion(recordID: cascade.recordID, recordType: recordType, target: target)
    )
  }
}
