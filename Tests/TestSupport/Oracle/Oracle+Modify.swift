public import TidingsProto

extension Oracle {
  /// What a call to ModifyRecords would answer and do.
  public struct Modification: Sendable {
    struct Write: Sendable {
      var item: Int
      var zone: String
      var name: String
      var new: TidingsV1.Record?
      var type: String
    }

    public fileprivate(set) var results: [TidingsV1.RecordResult] = []
    /// By item: what the server may also say of its failure.
    fileprivate(set) var alternatives: [Int: Set<TidingsV1.ErrorCode>] = [:]
    /// What goes with the deletions: its type, and the records that may be named as the cause.
    fileprivate(set) var cascade: [TidingsV1.RecordID: (type: String, targets: Set<String>)] = [:]
    fileprivate(set) var writes: [Write] = []
  }

  /// What ModifyRecords answers, if it succeeds.
  public func plan(
    _ request: TidingsV1.ModifyRecordsRequest,
    in database: Database,
    by caller: Caller
  ) -> Modification {
    var draft = Draft()
    var kinds = fieldTypes
    for record in request.recordsToSave {
      let (name, zone) = (record.recordID?.recordName ?? "", zoneName(record.recordID?.zoneID))
      draft.ids.append((zone, name))
      switch plan(record, request.savePolicy, in: database, by: caller, &kinds) {
      case .write(let new): draft.saves[draft.ids.count - 1] = new
      case .refuse(let refusal): draft.refusals[draft.ids.count - 1] = refusal
      }
    }
    for id in request.recordIDsToDelete {
      let zone = zoneName(id.zoneID)
      draft.ids.append((zone, id.recordName))
      if self.zone(zone, in: database) == nil {
        draft.refusals[draft.ids.count - 1] = Refusal(codes: [absence(of: zone, in: database)])
      } else {
        draft.deletions.insert(draft.ids.count - 1)
      }
    }
    var modification = Modification()
    modification.results = draft.ids.map { .init(recordID: Self.recordID($0.name, $0.zone)) }
    for (item, refusal) in draft.refusals {
      modification.fail(item, refusal.codes[0], or: refusal.codes)
      modification.results[item].serverRecord = refusal.serverRecord
      modification.results[item].ancestorRecord = refusal.ancestorRecord
    }
    for zone in Set(draft.ids.map(\.zone)) {
      let isCustom = zone != Self.defaultZone && database.owner != nil
      settle(zone, draft, request.atomic ?? isCustom, in: database, &modification)
    }
    modification.writes.sort { $0.item < $1.item }
    return modification
  }

  /// The items of a call, numbered in its order.
  private struct Draft {
    var ids: [(zone: String, name: String)] = []
    var saves: [Int: TidingsV1.Record] = [:]
    var deletions: Set<Int> = []
    var refusals: [Int: Refusal] = [:]
  }

  private func settle(
    _ zone: String,
    _ draft: Draft,
    _ isAtomic: Bool,
    in database: Database,
    _ modification: inout Modification
  ) {
    let items = draft.ids.indices.filter { draft.ids[$0].zone == zone }
    let refused = items.filter { draft.refusals[$0] != nil }
    var check = ReferenceCheck(
      stored: records(of: zone, in: database),
      saves: draft.saves.filter { items.contains($0.key) },
      deletions: [:]
    )
    for item in items where draft.deletions.contains(item) {
      check.deletions[item] = draft.ids[item].name
    }
    let first = check.violations()
    var violating = first
    while true {
      for item in violating {
        check.saves[item] = nil
        check.deletions[item] = nil
      }
      let more = check.violations()
      if more.isEmpty { break }
      violating.formUnion(more)
    }
    for item in violating { modification.fail(item, .referenceViolation) }
    if isAtomic, !refused.isEmpty || !violating.isEmpty {
      for item in items where draft.refusals[item] == nil {
        // Once the batch has failed, a reference that does not hold either need not be noticed, and
        // one that holds only with the failed items may be.
        if violating.contains(item) {
          let isRoot = refused.isEmpty && first.contains(item) && first.count == 1
          modification.fail(item, .referenceViolation, or: isRoot ? [] : [.batchRequestFailed])
        } else {
          modification.fail(item, .batchRequestFailed)
        }
      }
      return
    }
    for item in items where modification.results[item].outcome == nil {
      let name = draft.ids[item].name
      let old = check.stored[name]
      if let new = draft.saves[item] {
        var answered = new
        answered.fields = [:]
        modification.results[item].outcome = .record(answered)
        modification.writes.append(
          .init(item: item, zone: zone, name: name, new: new, type: new.recordType)
        )
      } else {
        modification.results[item].outcome = .deleted(true)
        guard let old else { continue }
        modification.writes.append(
          .init(item: item, zone: zone, name: name, new: nil, type: old.recordType)
        )
      }
    }
    for (name, targets) in check.cascade {
      modification.cascade[Self.recordID(name, zone)] = (
        check.stored[name]?.recordType ?? "", targets
      )
    }
  }

  /// Does what was planned, with what the deletions cascaded to in the server's order.
  public mutating func apply(
    _ modification: Modification,
    cascadeInOrder order: [TidingsV1.RecordID],
    mark: [UInt8] = [],
    in database: Database,
    by caller: Caller
  ) {
    var writes = modification.writes
    for id in order {
      let type = modification.cascade[id]?.type ?? ""
      let zone = zoneName(id.zoneID)
      writes.append(.init(item: .max, zone: zone, name: id.recordName, new: nil, type: type))
    }
    for name in Set(writes.map(\.zone)) {
      if zones[database]?[name] == nil { create(name, in: database) }
      let moment = advance(database)
      zones[database]?[name]?.head += 1
      zones[database]?[name]?.changed = moment
      if !mark.isEmpty, !caller.device.isEmpty {
        let head = zones[database]?[name]?.head ?? 0
        zones[database]?[name]?.marks[caller] = Mark(sequence: head, data: mark)
      }
    }
    var before: [TidingsV1.Record?] = []
    for (position, write) in writes.enumerated() {
      let old = zones[database]?[write.zone]
      before.append(old?.rows[write.name]?.record)
      zones[database]?[write.zone]?.rows[write.name] = Row(
        sequence: old?.head ?? 0,
        position: position,
        type: write.type,
        record: write.new
      )
      guard let new = write.new else { continue }
      zones[database]?[write.zone]?.versions[write.name, default: [:]][new.changeTag] = new
      for (field, value) in new.fields {
        if let kind = value.kind { fieldTypes[write.type, default: [:]][field] = kind }
      }
    }
    for (old, write) in zip(before, writes) {
      fire(old, write.new, zone: write.zone, in: database, by: caller)
    }
    endCall(by: caller)
  }
}

extension Oracle.Modification {
  fileprivate mutating func fail(
    _ item: Int,
    _ code: TidingsV1.ErrorCode,
    or others: [TidingsV1.ErrorCode] = []
  ) {
    results[item].outcome = .error(.init(code))
    alternatives[item] = Set(others).union([code])
  }

  /// What is wrong with an answer; `nil`: nothing.
  public func difference(to answer: TidingsV1.ModifyRecordsResponse) -> String? {
    guard answer.results.count == results.count else {
      return "\(answer.results.count) results, expected \(results.count)"
    }
    for (item, (got, expected)) in zip(answer.results, results).enumerated() {
      let got = got.normalized()
      if let code = got.error?.code, alternatives[item]?.contains(code) ?? false {
        let isConflict = code == .serverRecordChanged || code == .unknownItem
        if got == (isConflict ? expected : expected.withoutVersions).failing(code) { continue }
      } else if got == expected {
        continue
      }
      return "item \(item)\n  got      \(got.brief)\n  expected \(expected.brief)"
        + (alternatives[item].map { " or \($0)" } ?? "")
    }
    for zone in Set(results.map(\.recordID?.zoneID)) {
      let codes = answer.results.filter { $0.recordID?.zoneID == zone }.map(\.error?.code)
      if !codes.isEmpty, codes.allSatisfy({ $0 == .batchRequestFailed }) {
        return "no item of the zone '\(zone?.zoneName ?? "")' says why the batch failed"
      }
    }
    return cascadeDifference(to: answer.cascadedDeletions)
  }

  private func cascadeDifference(to deletions: [TidingsV1.CascadedDeletion]) -> String? {
    let ids = deletions.compactMap(\.recordID)
    guard Set(ids) == Set(cascade.keys), ids.count == deletions.count, Set(ids).count == ids.count
    else {
      return "cascaded deletions\n  got      \(ids.map(\.brief))\n  expected "
        + "\(cascade.keys.map(\.brief))"
    }
    var gone = Set(writes.filter { $0.new == nil }.map { Oracle.recordID($0.name, $0.zone) })
    for deletion in deletions {
      guard let id = deletion.recordID, let target = deletion.targetID,
        let (type, targets) = cascade[id]
      else { return "a cascaded deletion without IDs: \(deletion)" }
      guard deletion.recordType == type, targets.contains(target.recordName),
        id.zoneID == target.zoneID
      else {
        return "cascaded deletion of \(id.brief)\n  got      \(deletion.recordType), because of "
          + "\(target.brief)\n  expected \(type), because of one of \(targets)"
      }
      guard gone.contains(target) else {
        return "cascaded deletion of \(id.brief) before its target \(target.brief)"
      }
      gone.insert(id)
    }
    return nil
  }
}

extension TidingsV1.RecordResult {
  fileprivate var withoutVersions: Self { .init(recordID: recordID, outcome: outcome) }

  fileprivate func failing(_ code: TidingsV1.ErrorCode) -> Self {
    var copy = self
    copy.outcome = .error(.init(code))
    return copy
  }
}
