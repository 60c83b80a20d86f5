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
  func match(_ plan: inout RecordPlan, _ scene: Scene, _ matching: inout Matching) throws {
    guard !scene.isDryRun else { return }
    try checkComparisons(of: plan, scene)
    for (index, write) in plan.writes.enumerated() {
      let firings = firings(write.old, write.new, write.zone, scene, &matching)
      if let firings { plan.setFirings(firings, at: index) }
    }
    for (offset, cascade) in plan.cascades.enumerated() {
      let name = cascade.recordID.recordName
      guard let zone = try tables.catalog.zone(cascade.recordID.zoneID, in: scene.database),
        let type = try tables.records.recordType(name, in: zone),
        tables.channels.watches(type, in: scene.database),
        let row = try tables.records.row(name, in: zone), let old = try decoded(row)
      else { continue }
      plan.cascadeFirings[offset] = firings(old, nil, zone, scene, &matching)
    }
  }

  /// Refuses many records in one call that would be compared with many subscriptions each.
  ///
  /// Everybody waits meanwhile. They are the caller's own, or those of the database's owner; in a public database they
  /// are anybody's, and no reason to refuse a save.
  private func checkComparisons(of plan: RecordPlan, _ scene: Scene) throws(ItemError) {
    guard plan.writes.count + plan.cascades.count > 1, scene.database.id.scope != .public else {
      return
    }
    var (count, known) = (0, [:] as [String: Int])
    for write in plan.writes {
      let type = write.row.recordType
      let comparisons = known[type] ?? tables.channels.openComparisons(type, in: scene.database)
      known[type] = comparisons
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

  /// `nil`: the values are small, and it is found when the change is written.
  private func firings(
    _ old: Record?,
    _ new: Record?,
    _ zone: ZoneEntry,
    _ scene: Scene,
    _ matching: inout Matching
  ) -> [Firing]? {
    let isLarge = (old?.hasLargeValues ?? false) || (new?.hasLargeValues ?? false)
    guard isLarge, let type = (new ?? old)?.recordType,
      tables.channels.watches(type, in: scene.database)
    else { return nil }
    var firings: [Firing] = []
    tables.channels.match(
      old: old,
      new: new,
      zone: zone.id,
      in: scene.database,
      memory: matching.begun(),
      counts: false,
      into: &firings
    )
    return firings
  }
}
