internal import TidingsModel

/// What the references of a call's records allow, and the cascades of its deletions.
///
/// Saves and deletions of a call are one change set, in no order: what counts is the state that it
/// leaves. An item that fails leaves its record as it was, which may fail others: so they are decided
/// in rounds, in which items only ever begin to fail, until nothing changes.
struct ReferencePlan {
  /// Why items of the call fail, by item.
  private(set) var failures: [Int: ItemError] = [:]
  /// What goes along, targets before their sources.
  private(set) var cascades: [Cascade] = []

  private let saves: [Save]
  private let deletions: [Deletion]
  private let saveIndex: [RecordID: Int]
  private let atomicity: Atomicity
  private let limits: Limits
  private let stored: Stored
  private var parents: ParentChains

  private var knownOwned: [RecordID: [String]] = [:]
  /// Records to which nobody refers but with delete-self.
  private var unheld: Set<RecordID> = []
  /// The saves that will refer to a record, as indices.
  private var referrers: [RecordID: [Referrer]] = [:]
  /// Items of the call that fail, and the item whose mistake that is.
  private var causes: [RecordID: RecordID] = [:]
  /// Records that the call was to create and will not, whose referrers do not know it yet.
  private var missing: [RecordID] = []
  /// Records that would go along and stay, though their targets go.
  private var spared: Set<RecordID> = []
  /// Nothing goes along.
  private var sparesAll = false
  /// Atomic zones in which an item failed: nothing is done there.
  private var deadZones: Set<ZoneID> = []

  /// The rounds together visit no more records than this many of the largest calls have: each round may
  /// find one failure only, and everybody waits for all of them.
  private static let fullRoundsMax = 10

  private struct Referrer {
    var save: Int
    var kind: BindingReference.Kind
  }

  /// Decides.
  ///
  /// - Parameters:
  ///   - saves: The saves that are good so far.
  ///   - deletions: The deletions of records that are there.
  ///   - failed: Records whose items have failed already.
  ///   - atomicity: In the zones that it covers an item that fails stops its zone; its siblings are
  ///     the caller's to fail.
  ///   - limits: How much may go along.
  ///   - stored: What the store says.
  /// - Throws: What `stored` throws.
  init(
    saves: [Save],
    deletions: [Deletion],
    failed: [RecordID],
    atomicity: Atomicity,
    limits: Limits,
    stored: Stored
  ) throws {
    self.saves = saves
    self.deletions = deletions
    self.atomicity = atomicity
    self.limits = limits
    self.stored = stored
    saveIndex = Dictionary(
      saves.enumerated().map { ($1.recordID, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    parents = ParentChains(saves, saveIndex, stored)
    for recordID in failed { causes[recordID] = recordID }
    for (index, save) in saves.enumerated() {
      for reference in save.references {
        referrers[save.recordID.sibling(reference.target), default: []].append(
          Referrer(save: index, kind: reference.kind)
        )
      }
    }
    missing = try failed.filter { try referrers[$0] != nil && !stored.exists($0) }
    try settle()
  }

  // MARK: Rounds

  private mutating func settle() throws {
    try failMissingTargets()
    let referenceCount = saves.reduce(0) { $0 + $1.references.count }
    let fullVisits =
      Self.fullRoundsMax * (limits.cascadedDeletionsMax + limits.itemsPerCallMax + referenceCount)
    var visitsLeft = fullVisits
    var (failureCount, sparedCount) = (-1, -1)
    while failureCount != failures.count || sparedCount != spared.count {
      (failureCount, sparedCount) = (failures.count, spared.count)
      stopZones()
      failDependents()
      if try failCycles() { continue }
      let gone = try deletedRecords()
      visitsLeft -= gone.records.count + referenceCount
      if visitsLeft < 0 {
        guard !spared.isEmpty, !sparesAll else { return failAll() }
        // One more decision without them.
        (sparesAll, failureCount, visitsLeft) = (true, -1, fullVisits)
        continue
      }
      failReferrers(to: gone)
      // The record of a save that fails stays as it was: then it may go along, and block nothing.
      guard failures.count == failureCount else { continue }
      try failBlocked(gone)
      guard spared.count == sparedCount else { continue }
      if failures.count == failureCount { try failOverOwned(gone) }
      cascades = gone.cascades
    }
  }

  /// What is not decided by now is refused.
  private mutating func failAll() {
    let message =
      "the records of this call depend on each other in too many steps, because some cannot be "
      + "changed: fix these first, their errors have the reason, or send fewer records in one call"
    for save in saves { fail(save.item, save.recordID, .limitExceeded, message: message) }
    for deletion in deletions {
      fail(deletion.item, deletion.recordID, .limitExceeded, message: message)
    }
    cascades = []
  }

  private mutating func fail(
    _ item: Int,
    _ recordID: RecordID,
    because cause: RecordID? = nil,
    _ code: ItemError.Code = .referenceViolation,
    message: String
  ) {
    guard failures[item] == nil else { return }
    failures[item] = ItemError(code, message)
    causes[recordID] = cause ?? recordID
  }

  private mutating func fail(
    save index: Int,
    because cause: RecordID? = nil,
    _ code: ItemError.Code = .referenceViolation,
    message: String
  ) {
    let save = saves[index]
    fail(save.item, save.recordID, because: cause, code, message: message)
    if !save.exists { missing.append(save.recordID) }
  }

  private func isAlive(_ item: Int, in zone: ZoneID) -> Bool {
    failures[item] == nil && !deadZones.contains(zone)
  }

  private func isAlive(save index: Int) -> Bool {
    isAlive(saves[index].item, in: saves[index].recordID.zoneID)
  }

  /// The record gets a new state.
  private func isSaved(_ recordID: RecordID) -> Bool {
    saveIndex[recordID].map(isAlive(save:)) ?? false
  }

  private mutating func stopZones() {
    guard !failures.isEmpty || !missing.isEmpty else { return }
    func stop(_ zone: ZoneID) { if atomicity.covers(zone) { deadZones.insert(zone) } }
    for save in saves where failures[save.item] != nil { stop(save.recordID.zoneID) }
    for deletion in deletions where failures[deletion.item] != nil {
      stop(deletion.recordID.zoneID)
    }
    missing.removeAll { atomicity.covers($0.zoneID) }
  }

  // MARK: Targets that are not there

  private mutating func failMissingTargets() throws {
    var known: [RecordID: Bool] = [:]
    for (index, save) in saves.enumerated() {
      for reference in save.references
      where reference.kind != .deleteSelf && !save.old.contains(reference) {
        let target = save.recordID.sibling(reference.target)
        // A target whose save failed is found by `failDependents`.
        if saveIndex[target] != nil || causes[target] != nil { continue }
        let exists = try known[target] ?? stored.exists(target)
        known[target] = exists
        guard !exists else { continue }
        fail(
          save: index,
          message:
            "record '\(save.recordID.recordName)' refers to '\(target.recordName)' \(reference.kind), "
            + "which does not exist: save it first, or in the same call"
        )
      }
    }
  }

  /// What needs a record that the call was to create, and will not, fails with it.
  private mutating func failDependents() {
    while let target = missing.popLast() {
      for referrer in referrers[target] ?? []
      where referrer.kind != .deleteSelf && isAlive(save: referrer.save) {
        fail(
          save: referrer.save,
          because: causes[target],
          message:
            "record '\(saves[referrer.save].recordID.recordName)' refers to '\(target.recordName)' "
            + "\(referrer.kind), which the same call could not save: "
            + repair(of: causes[target] ?? target)
        )
      }
    }
  }

  /// A record cannot lie below itself.
  ///
  /// - Returns: Whether something failed.
  private mutating func failCycles() throws -> Bool {
    let alive = saves.indices.filter(isAlive(save:))
    let problems = try parents.problems(ofSaves: alive)
    for (index, problem) in problems { fail(save: index, problem.code, message: problem.message) }
    return !problems.isEmpty
  }

  private func repair(of cause: RecordID) -> String {
    "fix '\(cause.recordName)', whose error has the reason, then send both again"
  }

  // MARK: Deletions

  /// The records that go.
  private struct Deleted {
    /// All of them: the call's own first, then what goes along.
    var records: [RecordID] = []
    var cascades: [Cascade] = []
    var isDeleted: Set<RecordID> = []
    /// For each source that goes along: all its targets that go, first the one that took it.
    var targets: [RecordID: [RecordID]] = [:]
  }

  private mutating func owned(by target: RecordID) throws -> [RecordID] {
    let names = try knownOwned[target] ?? stored.owned(target)
    knownOwned[target] = names
    return names.map(target.sibling)
  }

  /// A record that refers to one, neither goes nor gets a new state.
  private mutating func holder(of target: RecordID, _ gone: Deleted) throws -> ReferenceSource? {
    if unheld.contains(target) { return nil }
    guard try stored.holder(target, { _ in true }) != nil else {
      unheld.insert(target)
      return nil
    }
    return try stored.holder(target) { isStaying(target.sibling($0.name), gone) }
  }

  private mutating func deletedRecords() throws -> Deleted {
    var gone = Deleted()
    for deletion in deletions where isAlive(deletion.item, in: deletion.recordID.zoneID) {
      gone.records.append(deletion.recordID)
      gone.isDeleted.insert(deletion.recordID)
    }
    var next = 0
    while next < gone.records.count {
      let target = gone.records[next]
      next += 1
      if sparesAll { break }
      for recordID in try owned(by: target) where !isSaved(recordID) && !spared.contains(recordID) {
        gone.targets[recordID, default: []].append(target)
        guard gone.isDeleted.insert(recordID).inserted else { continue }
        gone.records.append(recordID)
        gone.cascades.append(Cascade(recordID: recordID, target: target))
        guard gone.cascades.count <= limits.cascadedDeletionsMax else {
          if try gone.cascades.contains(where: { try stored.isOthers($0.recordID) }) {
            sparesAll = true
            return try deletedRecords()
          }
          failCascades(of: gone)
          return Deleted()
        }
      }
    }
    return gone
  }

  private mutating func failCascades(of gone: Deleted) {
    let targets = Set(gone.cascades.map(\.target))
    for deletion in deletions where targets.contains(deletion.recordID) {
      fail(
        deletion.item,
        deletion.recordID,
        .limitExceeded,
        message:
          "record '\(deletion.recordID.recordName)' cannot be deleted: the deletions of this call would "
          + "take more than \(limits.cascadedDeletionsMax) records along, which refer to them with "
          + "DELETE_SELF: delete some of those first, or fewer records at once"
      )
    }
  }

  /// A save must not refer to what the same call deletes.
  private mutating func failReferrers(to gone: Deleted) {
    guard !referrers.isEmpty else { return }
    // Of what goes along, the deletion that takes it: targets come before their sources.
    var roots: [RecordID: RecordID] = [:]
    for cascade in gone.cascades {
      roots[cascade.recordID] = roots[cascade.target] ?? cascade.target
    }
    for target in gone.records {
      for referrer in referrers[target] ?? [] where isAlive(save: referrer.save) {
        let name = saves[referrer.save].recordID.recordName
        let root = roots[target] ?? target
        let along = root == target ? "" : " along with '\(root.recordName)'"
        fail(
          save: referrer.save,
          message:
            "record '\(name)' refers to '\(target.recordName)' \(referrer.kind), which the same call "
            + "deletes\(along): save it without the reference, or leave the other one there"
        )
      }
    }
  }

  /// What somebody refers to who stays cannot go, nor what would take it along.
  private mutating func failBlocked(_ gone: Deleted) throws {
    var blocks: [RecordID: (target: RecordID, by: ReferenceSource)] = [:]
    var pending: [RecordID] = []
    for target in gone.records {
      guard let blocker = try holder(of: target, gone) else { continue }
      if gone.targets[target] != nil, !isDeletion(target), try stored.isOthers(target) {
        spared.insert(target)
        continue
      }
      blocks[target] = (target, blocker)
      pending.append(target)
    }
    var next = 0
    while next < pending.count {
      for target in gone.targets[pending[next]] ?? [] where blocks[target] == nil {
        blocks[target] = blocks[pending[next]]
        pending.append(target)
      }
      next += 1
    }
    for deletion in deletions {
      if let block = blocks[deletion.recordID] { try fail(deletion, block.target, block.by) }
    }
  }

  /// The call itself deletes a record.
  private func isDeletion(_ recordID: RecordID) -> Bool {
    deletions.contains { $0.recordID == recordID }
  }

  private mutating func fail(
    _ deletion: Deletion,
    _ target: RecordID,
    _ blocker: ReferenceSource
  ) throws {
    let source = target.sibling(blocker.name)
    let cause = causes[source]
    let name = deletion.recordID.recordName
    guard try stored.isReadable(target), try cause != nil || stored.isReadable(source) else {
      return fail(
        deletion.item,
        deletion.recordID,
        message:
          "record '\(name)' cannot be deleted: a record that you may not read still refers to "
          + "it, or to one that would go along: only who may change that one can remove the reference"
      )
    }
    let remedy =
      cause.map(repair(of:))
      ?? "delete '\(blocker.name)' too, or save it without the reference, in the same call or before"
    let along =
      deletion.recordID == target ? "" : "it would cascade to '\(target.recordName)', and "
    fail(
      deletion.item,
      deletion.recordID,
      because: cause,
      message: "record '\(name)' cannot be deleted: \(along)'\(blocker.name)' still refers to "
        + "'\(target.recordName)' \(blocker.kind): \(remedy)"
    )
  }

  /// A record neither goes nor gets a new state.
  private func isStaying(_ recordID: RecordID, _ gone: Deleted) -> Bool {
    !gone.isDeleted.contains(recordID) && !isSaved(recordID)
  }

  // MARK: Owners

  /// A target owns a limited number of records: those of the call that would be too many fail, the
  /// last ones first.
  private mutating func failOverOwned(_ gone: Deleted) throws {
    var seen: Set<RecordID> = []
    for save in saves {
      for reference in save.references
      where reference.kind == .deleteSelf && !save.old.contains(reference) {
        let target = save.recordID.sibling(reference.target)
        if seen.insert(target).inserted { try failOverOwned(target, reference, gone) }
      }
    }
  }

  private mutating func failOverOwned(
    _ target: RecordID,
    _ reference: BindingReference,
    _ gone: Deleted
  ) throws {
    let coming = (referrers[target] ?? []).filter {
      $0.kind == .deleteSelf && isAlive(save: $0.save)
    }
    let added = coming.filter { !saves[$0.save].old.contains(reference) }
    guard !added.isEmpty else { return }
    let staying = try owned(by: target).count { isStaying($0, gone) }
    let kept = staying + coming.count - added.count
    for referrer in added.dropFirst(max(0, limits.owningReferencesMax - kept)) {
      fail(
        save: referrer.save,
        .limitExceeded,
        message:
          "record '\(saves[referrer.save].recordID.recordName)' refers to '\(target.recordName)' "
          + "\(reference.kind), as more than the \(limits.owningReferencesMax) records would that may: "
          + "use the action NONE, or spread them over several targets"
      )
    }
  }
}

extension RecordID {
  /// Another record of the same zone.
  fileprivate func sibling(_ name: String) -> RecordID {
    RecordID(recordName: name, zoneID: zoneID)
  }
}

extension BindingReference.Kind: CustomStringConvertible {
  /// For messages, after the target's name.
  var description: String {
    switch self {
    case .deleteSelf: "(DELETE_SELF)"
    case .validate: "(VALIDATE)"
    case .parent: "(as its parent)"
    }
  }
}
