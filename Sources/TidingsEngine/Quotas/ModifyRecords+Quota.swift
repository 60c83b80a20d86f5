internal import TidingsModel

extension ModifyRecords {
  /// Lets saves that grow fail when there is no room for them; what the call frees counts first.
  ///
  /// A save that takes no more than before, and a deletion, need no room.
  func planQuota(_ plan: inout RecordPlan, _ scene: Scene, isAtomic: Bool) throws {
    let database = scene.database
    guard plan.usageChange.grows else { return }
    let quota = try tables.quotas.quota(of: database.id.owner)
    guard quota.recordsMax > 0 || quota.bytesMax > 0 else { return }
    let used = try tables.usage.usage(of: database)
    guard !quota.admits(plan.usageChange, over: used) else { return }

    var room = used
    var growing: [(item: Int, name: String, change: Usage)] = []
    for write in plan.writes {
      let change = write.usageChange
      if change.grows, let item = write.item {
        growing.append((item, write.name, change))
      } else {
        room += change
      }
    }
    var failures: [Int: ItemError] = [:]
    for save in growing {
      if quota.admits(save.change, over: room) {
        room += save.change
      } else {
        failures[save.item] = quota.exceeded(
          by: "record '\(save.name)'",
          taking: save.change,
          over: used,
          in: database.id,
          isOthers: scene.participant != nil
        )
      }
    }
    plan.fail(failures)
    if isAtomic { plan.applyAtomicity() }
  }

  /// Refuses a call whose saves count on the room of deletions that were refused.
  func checkQuota(_ plan: RecordPlan, _ scene: Scene) throws {
    let change = plan.usageChange
    guard change.grows else { return }
    let quota = try tables.quotas.quota(of: scene.database.id.owner)
    let used = try tables.usage.usage(of: scene.database)
    guard !quota.admits(change, over: used) else { return }
    throw quota.exceeded(
      by: "the call, some of whose deletions are refused for the references to their records",
      taking: change,
      over: used,
      in: scene.database.id,
      isOthers: scene.participant != nil
    )
  }
}

extension RecordPlan {
  /// What all writes together add to the usage of the database's owner.
  fileprivate var usageChange: Usage {
    writes.reduce(into: Usage()) { $0 += $1.usageChange }
  }
}

extension Quota {
  /// Whether there is room for more.
  func admits(_ change: Usage, over used: Usage) -> Bool {
    let after = used + change
    if recordsMax > 0, change.records > 0, after.records > recordsMax { return false }
    if bytesMax > 0, change.bytes > 0, after.bytes > bytesMax { return false }
    return true
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
    let isPublic = database.scope == .public
    let isOfRecords =
      recordsMax > 0 && change.records > 0 && used.records + change.records > recordsMax
    let place =
      "\(isPublic ? "the public database" : "the private databases of '\(database.owner)'") in "
      + "container '\(database.container)'"
    let figures =
      isOfRecords
      ? "hold \(used.records) records of at most \(recordsMax)"
      : "hold \(used.bytes) bytes of records and assets of at most \(bytesMax), and it takes "
        + "\(change.bytes) more"
    return ItemError(
      .quotaExceeded,
      "\(what): \(place) \(figures): delete records that are not needed, or ask an administrator for a "
        + "larger quota"
    )
  }
}
