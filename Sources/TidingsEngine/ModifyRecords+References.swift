internal import TidingsModel

extension ModifyRecords {
  /// Decides what references allow; a call that has none does not come past the guard.
  ///
  /// - Returns: Whether something failed.
  func planReferences(_ plan: inout RecordPlan, _ scene: Scene, isAtomic: Bool) throws -> Bool {
    guard try hasReferences(plan) else { return false }
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
      owned: { [tables] id in
        try zones[id.zoneID].map { try tables.references.owned(by: id.recordName, in: $0) } ?? []
      },
      holder: { [tables] id, isWanted in
        try zones[id.zoneID].flatMap {
          try tables.references.holder(of: id.recordName, in: $0, where: isWanted)
        }
      },
      exists: { [self] id in
        guard let zone = zones[id.zoneID],
          try tables.records.recordType(id.recordName, in: zone) != nil
        else { return false }
        return try canRead(id.recordName, in: zone, scene)
      },
      isReadable: { [self] id in
        try zones[id.zoneID].map { try canRead(id.recordName, in: $0, scene) } ?? false
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
    return !decided.failures.isEmpty
  }

  private func hasReferences(_ plan: RecordPlan) throws -> Bool {
    try plan.writes.contains { write in
      if let new = write.new { return !new.bindingReferences.isEmpty }
      return try tables.references.isTarget(write.name, in: write.zone)
    }
  }
}
