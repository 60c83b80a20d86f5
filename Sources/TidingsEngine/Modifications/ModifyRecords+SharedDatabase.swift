internal import TidingsModel

extension ModifyRecords {
  /// What a call to the shared database asks of one owner.
  private struct Part {
    let owner: String
    var saves: [Record] = []
    var deletions: [RecordID] = []
    /// The positions in the call: of the saves, then of the deletions.
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
    shares: ShareReader,
    in context: CallContext
  ) throws -> ModifiedRecords {
    try begin(changes)
    try tables.clientTokens.check(changes.clientChangeToken, of: context.caller)
    try tables.catalog.requireDeployed(
      changes.database.container,
      changes.database.environment
    )
    let uploads = try tables.catalog.database(changes.database)
    var parts: [(part: Part, plan: RecordPlan, call: RecordCall)] = []
    // All is decided before anything is written: the databases have nothing to do with each other.
    let budget = SharingBudget(limits)
    for part in Self.parts(of: changes) {
      let call = try call(of: part, changes, context, shares, uploads, budget)
      var owners = RecordChanges(
        database: changes.database,
        saves: part.saves,
        deletions: part.deletions,
        policy: changes.policy,
        isAtomic: changes.isAtomic
      )
      for (position, item) in part.saveItems.enumerated() {
        owners.refusals[position] = changes.refusals[item]
      }
      owners.policies = part.saveItems.map { changes.policy(ofSave: $0) }
      owners.expectedTags = part.deletionItems.map {
        changes.expectedTag(ofDeletion: $0 - changes.saves.count)
      }
      // A schema is of the whole container.
      let plan = try plan(owners, call, after: parts.last?.plan.discovered ?? [:])
      parts.append((part, plan, call))
    }
    var matching = Matching(changes.memory)
    for index in parts.indices { try match(&parts[index].plan, parts[index].call, &matching) }
    try matching.finish()
    if !changes.isDryRun {
      try pace.check(cost: parts.reduce(0) { try $0 + cost(of: $1.plan, $1.call) })
    }
    var outcomes: [RecordOutcome?] = Array(
      repeating: nil,
      count: changes.saves.count + changes.deletions.count
    )
    var cascaded: [CascadedDeletion] = []
    var changedAnything = false
    for (part, plan, call) in parts {
      let modified = try finish(plan, call, mark: changes.clientChangeToken)
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
  private func call(
    of part: Part,
    _ changes: RecordChanges,
    _ context: CallContext,
    _ shares: ShareReader,
    _ uploads: DatabaseEntry?,
    _ budget: SharingBudget
  ) throws -> RecordCall {
    let id = DatabaseID(
      container: changes.database.container,
      environment: changes.database.environment,
      scope: .private,
      owner: part.owner
    )
    let access = ParticipantAccess(context.caller.user, shares)
    return RecordCall(
      context,
      database: try tables.catalog.plannedDatabase(id),
      named: changes.database,
      isDryRun: changes.isDryRun,
      access: access,
      participant: access,
      uploads: uploads,
      sharingBudget: budget
    )
  }
}

extension RecordOutcome {
  /// The outcome for a participant: zones have owners.
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
