internal import TidingsModel

/// What references mean, said as plainly as possible: sets of everything, looked through again and
/// again.
struct ReferenceModel {
  struct Link: Hashable {
    var action: Action
    var target: RecordID
  }

  enum Action: Int64 {
    case deleteSelf = 1
    case validate = 2
    case parent = 3
  }

  struct Save {
    var id: RecordID
    var links: Set<Link>
    /// It fails for a reason of its own.
    var isBad = false
  }

  struct Answer: Equatable {
    var codes: [RecordID: ItemError.Code] = [:]
    var cascaded: Set<RecordID> = []
  }

  var records: [RecordID: Set<Link>] = [:]
  let ownersMax: Int

  /// What a call answers and, unless it is only asked, does.
  mutating func modify(
    _ saves: [Save],
    delete deletions: [RecordID],
    isAtomic: Bool,
    isDryRun: Bool = false
  ) -> Answer {
    var call = CallInModel(model: self, saves: saves, deletions: deletions, isAtomic: isAtomic)
    while call.round() {}
    var answer = Answer(codes: call.failures, cascaded: call.cascaded)
    if isAtomic {
      let dead = Set(call.failures.keys.map(\.zoneID))
      for id in saves.map(\.id) + deletions where dead.contains(id.zoneID) {
        answer.codes[id] = answer.codes[id] ?? .batchRequestFailed
      }
    }
    guard !isDryRun else { return answer }
    for id in answer.cascaded { records[id] = nil }
    for id in deletions where answer.codes[id] == nil { records[id] = nil }
    for save in saves where answer.codes[save.id] == nil { records[save.id] = save.links }
    return answer
  }
}

private struct CallInModel {
  let model: ReferenceModel
  let saves: [ReferenceModel.Save]
  let deletions: [RecordID]
  let isAtomic: Bool
  var failures: [RecordID: ItemError.Code]
  var cascaded: Set<RecordID> = []

  init(
    model: ReferenceModel,
    saves: [ReferenceModel.Save],
    deletions: [RecordID],
    isAtomic: Bool
  ) {
    (self.model, self.saves, self.deletions, self.isAtomic) = (model, saves, deletions, isAtomic)
    failures = [:]
    for save in saves where save.isBad { failures[save.id] = .invalidArguments }
    guard isAtomic else {
      failDependents()
      return
    }
    let called = Set(saves.map(\.id))
    let stopped = Set(failures.keys.map(\.zoneID))
    for save in saves where !stopped.contains(save.id.zoneID) {
      let misses = save.links.contains { link in
        link.action != .deleteSelf && model.records[link.target] == nil
          && !called.contains(link.target)
      }
      if misses { failures[save.id] = .referenceViolation }
    }
  }

  private mutating func failDependents() {
    var isChanged = true
    while isChanged {
      isChanged = false
      let coming = Set(saves.map(\.id).filter { failures[$0] == nil })
      for save in saves where failures[save.id] == nil {
        let misses = save.links.contains { link in
          link.action != .deleteSelf && model.records[link.target] == nil
            && !coming.contains(link.target)
        }
        if misses {
          failures[save.id] = .referenceViolation
          isChanged = true
        }
      }
    }
  }

  /// - Returns: Whether another item failed.
  mutating func round() -> Bool {
    let count = failures.count
    let stopped = isAtomic ? Set(failures.keys.map(\.zoneID)) : []
    func isAlive(_ id: RecordID) -> Bool {
      failures[id] == nil && !stopped.contains(id.zoneID)
    }
    if !isAtomic { failDependents() }
    let cyclic = saves.filter { isAlive($0.id) && isBelowItself($0, isAlive) }
    for save in cyclic { failures[save.id] = .referenceViolation }
    if !cyclic.isEmpty { return true }
    let rewritten = Set(saves.map(\.id).filter(isAlive))
    let own = deletions.filter { isAlive($0) && model.records[$0] != nil }
    let gone = own.reduce(into: Set<RecordID>()) { $0.formUnion(reach($1, rewritten)) }

    for save in saves where isAlive(save.id) {
      if save.links.contains(where: { gone.contains($0.target) }) {
        failures[save.id] = .referenceViolation
      }
    }
    // A save that failed leaves its record as it was, which may go along then.
    guard failures.count == count else { return true }
    let held = gone.filter { target in
      model.records.contains { source, links in
        !gone.contains(source) && !rewritten.contains(source)
          && links.contains { $0.action != .deleteSelf && $0.target == target }
      }
    }
    for deletion in own where !reach(deletion, rewritten).isDisjoint(with: held) {
      failures[deletion] = .referenceViolation
    }
    if failures.count == count { limitOwners(gone, rewritten) }
    cascaded = gone.subtracting(own)
    return failures.count != count
  }

  /// A save gives its record a parent that lies below it.
  private func isBelowItself(
    _ save: ReferenceModel.Save,
    _ isAlive: (RecordID) -> Bool
  ) -> Bool {
    func parent(_ id: RecordID) -> RecordID? {
      let saved = saves.first { $0.id == id && isAlive(id) }
      return (saved?.links ?? model.records[id] ?? []).first { $0.action == .parent }?.target
    }
    guard let new = save.links.first(where: { $0.action == .parent }),
      model.records[save.id]?.contains(new) != true
    else { return false }
    var above: RecordID? = new.target
    var seen: Set<RecordID> = []
    while let current = above, current != save.id, seen.insert(current).inserted {
      above = parent(current)
    }
    return above == save.id
  }

  /// What goes with a record, itself among it.
  private func reach(_ start: RecordID, _ rewritten: Set<RecordID>) -> Set<RecordID> {
    var reached: Set<RecordID> = [start]
    var count = 0
    while count != reached.count {
      count = reached.count
      for (source, links) in model.records where !rewritten.contains(source) {
        if links.contains(where: { $0.action == .deleteSelf && reached.contains($0.target) }) {
          reached.insert(source)
        }
      }
    }
    return reached
  }

  private mutating func limitOwners(_ gone: Set<RecordID>, _ rewritten: Set<RecordID>) {
    var seen: Set<RecordID> = []
    for save in saves {
      // The order of a record's new references does not matter: each of its saves is judged for all.
      for link in save.links.sorted(by: { $0.target.recordName < $1.target.recordName })
      where link.action == .deleteSelf && model.records[save.id]?.contains(link) != true
        && seen.insert(link.target).inserted
      {
        let alive = saves.filter { rewritten.contains($0.id) && failures[$0.id] == nil }
        let changing = Set(alive.map(\.id))
        let staying = model.records.count { source, links in
          links.contains(link) && !gone.contains(source) && !changing.contains(source)
        }
        let owned = alive.filter { $0.links.contains(link) }
        let added = owned.filter { model.records[$0.id]?.contains(link) != true }
        let room = model.ownersMax - staying - (owned.count - added.count)
        for save in added.dropFirst(max(0, room)) { failures[save.id] = .limitExceeded }
      }
    }
  }
}
