internal import TidingsModel

extension ModifyRecords {
  /// What a call to the shared database asks of one owner.
  private struct Part {
    let owner: String
    var saves: [Record] = []
    var deletions: [RecordID] = []
    /// The places in the call: of the saves, then of the deletions.
    var saveItems: [Int] = []
    var deletionItems: [Int] = []
    var items: [Int] { saveItems + deletionItems }
  }

  /// Applies the changes of one call to the shared database: in the private databases of the owners of
  /// the zones that it names.
  ///
  /// - Throws: What fails the call as a whole: `ItemError` before anything is written, or `SQLError`.
  func inSharedDatabase(
    _ changes: RecordChanges,
    caller: Caller,
    shares: ShareReader,
    at moment: Moment
  ) throws -> ModifiedRecords {
    try checkCall(changes)
    pace.begin(isShort: changes.saves.count + changes.deletions.count == 1)
    try tables.clientTokens.check(changes.clientChangeToken, of: caller)
    try tables.catalog.requireDeployed(
      changes.database.container,
      changes.database.environment
    )
    let uploads = try tables.catalog.database(changes.database)
    var parts: [(part: Part, plan: RecordPlan, scene: Scene)] = []
    // All is decided before anything is written: the databases have nothing to do with each other.
    let budget = SharingBudget(limits)
    for part in Self.parts(of: changes) {
      var scene = try scene(of: part, changes, caller, shares, uploads, at: moment)
      scene.sharingBudget = budget
      let owners = RecordChanges(
        database: changes.database,
        saves: part.saves,
        deletions: part.deletions,
        policy: changes.policy,
        isAtomic: changes.isAtomic
      )
      // A schema is of the whole container.
      let plan = try plan(owners, scene, after: parts.last?.plan.discovered ?? [:])
      parts.append((part, plan, scene))
    }
    var matching = Matching(changes.memory)
    for index in parts.indices { try match(&parts[index].plan, parts[index].scene, &matching) }
    try matching.finish()
    if !changes.isDryRun {
      try pace.check(cost: parts.reduce(0) { $0 + cost(of: $1.plan, $1.scene) })
    }
    var outcomes: [RecordOutcome?] = Array(
      repeating: nil,
      count: changes.saves.count + changes.deletions.count
    )
    var cascaded: [CascadedDeletion] = []
    var changedAnything = false
    for (part, plan, scene) in parts {
      let modified = try finish(plan, scene, mark: changes.clientChangeToken)
      for (item, outcome) in zip(part.items, modified.outcomes) {
        outcomes[item] = outcome.owned(by: part.owner)
      }
      changedAnything = changedAnything || modified.changedAnything
      cascaded += modified.cascadedDeletions.map { $0.owned(by: part.owner) }
    }
    return ModifiedRecords(
      outcomes: outcomes.compactMap(\.self),
      cascadedDeletions: cascaded,
      changedAnything: changedAnything
    )
  }

  private static func parts(of changes: RecordChanges) -> [Part] {
    var parts: [Part] = []
    var index: [String: Int] = [:]
    func part(of owner: String) -> Int {
      if let known = index[owner] { return known }
      index[owner] = parts.count
      parts.append(Part(owner: owner))
      return parts.count - 1
    }
    for (item, record) in changes.saves.enumerated() {
      let part = part(of: record.recordID.zoneID.ownerName)
      parts[part].saves.append(record)
      parts[part].saveItems.append(item)
    }
    for (offset, recordID) in changes.deletions.enumerated() {
      let part = part(of: recordID.zoneID.ownerName)
      parts[part].deletions.append(recordID)
      parts[part].deletionItems.append(changes.saves.count + offset)
    }
    return parts
  }

  /// The owner's database is not made here: without it there is nothing that could be shared.
  private func scene(
    of part: Part,
    _ changes: RecordChanges,
    _ caller: Caller,
    _ shares: ShareReader,
    _ uploads: DatabaseEntry?,
    at moment: Moment
  ) throws -> Scene {
    let id = DatabaseID(
      container: changes.database.container,
      environment: changes.database.environment,
      scope: .private,
      owner: part.owner
    )
    let access = ParticipantAccess(caller.user, shares)
    return Scene(
      database: try tables.catalog.database(id) ?? DatabaseEntry(number: 0, id: id, head: 0),
      named: changes.database,
      stamp: Record.Stamp(timestamp: moment.timeOfDay, caller: caller),
      steady: moment.steady,
      isDryRun: changes.isDryRun,
      access: access,
      participant: access,
      uploads: uploads
    )
  }
}

extension RecordOutcome {
  /// The outcome as a participant is told: zones have owners.
  fileprivate func owned(by owner: String) -> RecordOutcome {
    switch self {
    case .saved(var record):
      record.recordID.zoneID.ownerName = owner
      return .saved(record)
    case .deleted(let recordID): return .deleted(recordID.owned(by: owner))
    case .failed(let recordID, let error, let conflict):
      return .failed(recordID.owned(by: owner), error, conflict)
    }
  }
}

extension CascadedDeletion {
  fileprivate func owned(by owner: String) -> CascadedDeletion {
    CascadedDeletion(
      recordID: recordID.owned(by: owner),
      recordType: recordType,
      target: target.owned(by: owner)
    )
  }
}

extension RecordID {
  /// The record as it is named in a shared database.
  func owned(by owner: String) -> RecordID {
    var recordID = self
    recordID.zoneID.ownerName = owner
    return recordID
  }
}
