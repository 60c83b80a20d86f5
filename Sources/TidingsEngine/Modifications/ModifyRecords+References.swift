internal import TidingsModel

extension ModifyRecords {
  /// Decides what references allow; a call that has none does not come past the guard.
  ///
  /// - Parameters:
  ///   - plan: What is decided so far.
  ///   - call: The call.
  ///   - mayGiveUp: Nothing is written yet.
  /// - Returns: Whether something failed.
  /// - Throws: `LongCall`; `SQLError`.
  func planReferences(
    _ plan: inout RecordPlan,
    _ call: RecordCall,
    mayGiveUp: Bool = true
  ) throws -> Bool {
    guard try hasReferences(plan) else { return false }
    var saves: [ReferencePlan.Save] = []
    var deletions: [ReferencePlan.Deletion] = []
    var zones: [ZoneID: ZoneEntry] = [:]
    let step = { [pace] in try pace.lookStep(mayGiveUp: mayGiveUp) }
    let others = call.access is PublicAccess ? siblings(in: plan) : [:]
    for (index, write) in plan.writes.enumerated() {
      guard let item = write.item else { continue }
      let recordID = RecordID(recordName: write.name, zoneID: write.zone.id)
      zones[write.zone.id] = write.zone
      if let new = write.new {
        let loose = try looseReferences(of: new, write, among: others, call, step)
        if !loose.isEmpty { plan.loosen(loose, ofWrite: index) }
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
      owned: { [tables] id in
        try step()
        return try zones[id.zoneID].map { try tables.references.owned(by: id.recordName, in: $0) }
          ?? []
      },
      holder: { [tables] id, isWanted in
        try step()
        return try zones[id.zoneID].flatMap {
          try tables.references.holder(of: id.recordName, in: $0, where: isWanted)
        }
      },
      parent: { [self] id in
        try step()
        guard let zone = zones[id.zoneID],
          let row = try tables.records.row(id.recordName, in: zone)
        else { return nil }
        return try decoded(row)?.parent?.recordID.recordName
      },
      exists: { [self] id in
        try step()
        guard let zone = zones[id.zoneID],
          try tables.records.recordType(id.recordName, in: zone) != nil
        else { return false }
        return try canRead(id.recordName, in: zone, call)
      },
      isReadable: { [self] id in
        try step()
        return try zones[id.zoneID].map { try canRead(id.recordName, in: $0, call) } ?? false
      },
      isOthers: { [self] id in
        try step()
        guard let access = call.access as? PublicAccess, let zone = zones[id.zoneID],
          let record = try tables.records.row(id.recordName, in: zone).flatMap({ try decoded($0) })
        else { return false }
        return try !access.mayChange(record)
      }
    )
    let decided = try ReferencePlan(
      saves: saves,
      deletions: deletions,
      failed: plan.failed,
      atomicity: plan.atomicity,
      limits: limits,
      stored: stored
    )
    plan.fail(decided.failures)
    plan.cascades = decided.cascades
    plan.applyAtomicity()
    return !decided.failures.isEmpty
  }

  /// The references that a save to a public database adds, and that do not keep their targets: the caller
  /// could not change these records, and must not prevent their deletion either.
  private func looseReferences(
    of new: Record,
    _ write: RecordPlan.Write,
    among siblings: [RecordID: RecordPlan.Write],
    _ call: RecordCall,
    _ step: () throws -> Void
  ) throws -> Set<BindingReference> {
    guard let access = call.access as? PublicAccess else { return [] }
    let old = Set(write.old?.bindingReferences ?? [])
    var loose: Set<BindingReference> = []
    for reference in new.bindingReferences
    where reference.kind != .deleteSelf && !old.contains(reference) {
      try step()
      let sibling = siblings[RecordID(recordName: reference.target, zoneID: write.zone.id)]
      let target =
        try sibling?.new
        ?? tables.records.row(reference.target, in: write.zone).flatMap { try decoded($0) }
      if let target, try !access.mayChange(target) { loose.insert(reference) }
    }
    return loose
  }

  private func siblings(in plan: RecordPlan) -> [RecordID: RecordPlan.Write] {
    Dictionary(
      plan.writes.map { (RecordID(recordName: $0.name, zoneID: $0.zone.id), $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  private func hasReferences(_ plan: RecordPlan) throws -> Bool {
    try plan.writes.contains { write in
      if let new = write.new { return !new.bindingReferences.isEmpty }
      return try tables.references.isTarget(write.name, in: write.zone)
    }
  }
}
