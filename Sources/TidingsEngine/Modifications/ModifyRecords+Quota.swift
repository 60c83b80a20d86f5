internal import TidingsModel

extension ModifyRecords {
  /// Lets saves that grow fail when there is no room for them; what the call frees counts first.
  ///
  /// A save that takes no more than before, and a deletion, need no room. In an account that holds
  /// more than it may, because of what saves and deletions leave besides, saves have to shrink.
  func planQuota(_ plan: inout RecordPlan, _ call: RecordCall) throws {
    let database = call.database
    guard plan.writes.contains(where: { $0.new != nil }) else { return }
    let quota = try tables.quotas.quota(of: database.id.owner)
    guard quota.recordsMax > 0 || quota.bytesMax > 0 else { return }
    guard let used = try room(for: plan, quota, call) else { return }

    var room = used
    var saves: [(item: Int, name: String, change: Usage)] = []
    for write in plan.writes {
      if write.new != nil, let item = write.item, !write.usageChange.shrinks {
        saves.append((item, write.name, write.usageChange))
      } else {
        room += write.usageChange
      }
    }
    var failures: [Int: ItemError] = [:]
    for save in saves {
      if quota.admits(save.change, over: room) {
        room += save.change
      } else {
        tables.quotas.refusedCount += 1
        failures[save.item] = quota.exceeded(
          by: "record '\(save.name)'",
          taking: save.change,
          over: used,
          in: database.id,
          isOthers: call.participant != nil
        )
      }
    }
    plan.fail(failures)
    plan.applyAtomicity()
  }

  /// Refuses a call whose saves count on the room of deletions that were refused.
  func checkQuota(_ plan: RecordPlan, _ call: RecordCall) throws {
    guard plan.writes.contains(where: { $0.new != nil }) else { return }
    let quota = try tables.quotas.quota(of: call.database.id.owner)
    guard let used = try room(for: plan, quota, call) else { return }
    tables.quotas.refusedCount += 1
    throw quota.exceeded(
      by: "the call, some of whose deletions are refused for the references to their records",
      taking: plan.usageChange,
      over: used,
      in: call.database.id,
      isOthers: call.participant != nil
    )
  }

  /// What the account holds, if there is no room in it for a plan; `nil`: there is.
  ///
  /// Assets that deletions left, and that are kept for a while, go when they are in the way.
  private func room(for plan: RecordPlan, _ quota: Quota, _ call: RecordCall) throws -> Usage? {
    let (database, change) = (call.database, plan.usageChange)
    let used = try tables.usage.account(of: database)
    guard !quota.admits(change, over: used) else { return nil }
    guard !call.isDryRun, let missing = quota.missingBytes(for: change, over: used) else {
      return used
    }
    try tables.assets.reclaim(missing, of: database, keeping: plan.assetChecksums)
    let left = try tables.usage.account(of: database)
    return quota.admits(change, over: left) ? nil : left
  }
}

extension RecordPlan {
  /// What all writes together add to the account of the database's owner.
  fileprivate var usageChange: Usage {
    writes.reduce(into: Usage()) { $0 += $1.usageChange }
  }

  /// The assets that the records will name.
  fileprivate var assetChecksums: Set<[UInt8]> {
    writes.reduce(into: []) { $0.formUnion($1.new?.assetChecksums ?? []) }
  }
}

extension Usage {
  /// It takes less than before.
  fileprivate var shrinks: Bool { records <= 0 && bytes < 0 }
}

extension Quota {
  /// Whether there is room for more.
  func admits(_ change: Usage, over used: Usage) -> Bool {
    let after = used + change
    if recordsMax > 0, change.records > 0, after.records > recordsMax { return false }
    guard bytesMax > 0 else { return true }
    return used.bytes > bytesMax
      ? change.bytes < 0 : change.bytes <= 0 || after.bytes <= bytesMax
  }

  /// How many bytes are in the way of a change; `nil`: it is not refused for bytes.
  func missingBytes(for change: Usage, over used: Usage) -> Int64? {
    guard bytesMax > 0 else { return nil }
    let missing = used.bytes + max(0, change.bytes) - bytesMax
    return missing > 0 ? missing : nil
  }

  /// Says what is full, by how much, and what to do; to a participant not by how much.
  func exceeded(
    by what: String,
    taking change: Usage,
    over used: Usage,
    in database: DatabaseID,
    isOthers: Bool = false
  ) -> ItemError {
    guard !isOthers else {
      return ItemError(
        .quotaExceeded,
        "\(what): there is no room for it in the databases of '\(database.owner)', who can make some"
      )
    }
    let isOfRecords =
      recordsMax > 0 && change.records > 0 && used.records + change.records > recordsMax
    let holder =
      database.scope == .public
      ? "the public database in container '\(database.container)'"
      : "'\(database.owner)', in all containers together,"
    let figures =
      isOfRecords
      ? "has \(used.records) records of at most \(recordsMax)"
      : "has \(used.bytes) bytes stored of at most \(bytesMax), and it takes \(change.bytes) more"
    return ItemError(
      .quotaExceeded,
      "\(what): \(holder) \(figures): delete records that are not needed, or ask an administrator for a "
        + "larger quota"
    )
  }
}
