public import TidingsProto

extension Oracle {
  private struct Write {
    var item: Int
    var zone: String
    var name: String
    var old: TidingsV1.Record?
    var new: TidingsV1.Record?
    var type: String
  }

  /// What ModifyRecords answers, and does.
  public mutating func modify(
    _ request: TidingsV1.ModifyRecordsRequest,
    in database: Database,
    by caller: Caller
  ) -> [TidingsV1.RecordResult] {
    var results: [TidingsV1.RecordResult] = []
    var (writes, kinds) = ([] as [Write], fieldTypes)
    for record in request.recordsToSave {
      let zone = zoneName(record.recordID?.zoneID)
      let name = record.recordID?.recordName ?? ""
      let result = plan(record, name, zone, request.savePolicy, in: database, by: caller, &kinds)
      if case .record(let stored)? = result.outcome {
        writes.append(
          Write(
            item: results.count,
            zone: zone,
            name: name,
            old: row(name, zone, database)?.record,
            new: stored,
            type: stored.recordType
          )
        )
      }
      results.append(result)
    }
    for id in request.recordIDsToDelete {
      let zone = zoneName(id.zoneID)
      var result = TidingsV1.RecordResult(recordID: recordID(id.recordName, zone))
      if self.zone(zone, in: database) == nil {
        result.outcome = .error(.init(.zoneNotFound))
      } else {
        result.outcome = .deleted(true)
        if let old = row(id.recordName, zone, database)?.record {
          writes.append(
            Write(
              item: results.count,
              zone: zone,
              name: id.recordName,
              old: old,
              new: nil,
              type: old.recordType
            )
          )
        }
      }
      results.append(result)
    }
    if request.atomic ?? true { takeBackFailedZones(&results, &writes) }
    apply(writes, in: database, by: caller)
    return results.map { result in
      guard case .record(var record)? = result.outcome else { return result }
      record.fields = [:]
      return .init(recordID: result.recordID, outcome: .record(record))
    }
  }

  /// What FetchRecords answers.
  public func fetch(
    _ ids: [TidingsV1.RecordID],
    keys: [String]? = nil,
    in database: Database
  ) -> [TidingsV1.RecordResult] {
    ids.map { id in
      let name = zoneName(id.zoneID)
      var result = TidingsV1.RecordResult(recordID: recordID(id.recordName, name))
      guard let zone = zone(name, in: database) else {
        result.outcome = .error(.init(.zoneNotFound))
        return result
      }
      guard var record = zone.rows[id.recordName]?.record else {
        result.outcome = .error(.init(.unknownItem))
        return result
      }
      if let keys { record.fields = record.fields.filter { keys.contains($0.key) } }
      result.outcome = .record(record)
      return result
    }
  }

  private func row(_ name: String, _ zone: String, _ database: Database) -> Row? {
    zones[database]?[zone]?.rows[name]
  }

  private func plan(
    _ sent: TidingsV1.Record,
    _ name: String,
    _ zoneName: String,
    _ policy: TidingsV1.SavePolicy,
    in database: Database,
    by caller: Caller,
    _ kinds: inout [String: [String: Int]]
  ) -> TidingsV1.RecordResult {
    let id = recordID(name, zoneName)
    func failure(_ code: TidingsV1.ErrorCode) -> TidingsV1.RecordResult {
      .init(recordID: id, outcome: .error(.init(code)))
    }
    guard let zone = zone(zoneName, in: database) else { return failure(.zoneNotFound) }
    let old = zone.rows[name]?.record
    if policy == .unspecified || policy == .ifServerRecordUnchanged,
      sent.changeTag != old?.changeTag ?? ""
    {
      var result = failure(old == nil ? .unknownItem : .serverRecordChanged)
      result.serverRecord = old
      result.ancestorRecord = zone.versions[name]?[sent.changeTag]
      return result
    }
    if let old, old.recordType != sent.recordType { return failure(.invalidArguments) }

    var new = TidingsV1.Record(recordID: id, recordType: sent.recordType)
    new.fields = old?.fields ?? [:]
    for (field, value) in sent.fields { new.fields[field] = value.value == nil ? nil : value }
    new.changeTag = String(zone.head + 1, radix: 36)
    let stamp = TidingsV1.Stamp(userRecordName: caller.user, deviceID: caller.device)
    new.created = old?.created ?? stamp
    new.modified = stamp
    var learned = kinds[new.recordType] ?? [:]
    for (field, value) in new.fields {
      guard let kind = value.kind else { continue }
      guard learned[field] ?? kind == kind else { return failure(.invalidArguments) }
      learned[field] = kind
    }
    kinds[new.recordType] = learned
    return .init(recordID: id, outcome: .record(new))
  }

  private func takeBackFailedZones(
    _ results: inout [TidingsV1.RecordResult],
    _ writes: inout [Write]
  ) {
    let failed = Set(
      results.filter { $0.error != nil }.map { zoneName($0.recordID?.zoneID) }
    )
    writes.removeAll { failed.contains($0.zone) }
    for index in results.indices
    where results[index].error == nil && failed.contains(zoneName(results[index].recordID?.zoneID))
    {
      results[index].outcome = .error(.init(.batchRequestFailed))
    }
  }

  private mutating func apply(_ writes: [Write], in database: Database, by caller: Caller) {
    for name in Set(writes.map(\.zone)) {
      zones[database, default: [:]][name, default: Zone()].head += 1
    }
    for (position, write) in writes.enumerated() {
      let head = zones[database]?[write.zone]?.head ?? 0
      zones[database]?[write.zone]?.rows[write.name] = Row(
        sequence: head,
        position: position,
        record: write.new
      )
      if let new = write.new {
        zones[database]?[write.zone]?.versions[write.name, default: [:]][new.changeTag] = new
      }
      for (field, value) in write.new?.fields ?? [:] {
        if let kind = value.kind { fieldTypes[write.type, default: [:]][field] = kind }
      }
    }
    for write in writes {
      fire(write.old, write.new, zone: write.zone, in: database, by: caller)
    }
  }
}

extension TidingsV1.FieldValue {
  /// Numbers the types, for those that these tests use; an empty list of no type has none.
  fileprivate var kind: Int? {
    switch value {
    case .stringValue: 1
    case .int64Value: 2
    case .doubleValue: 3
    case .stringListValue: 4
    case nil, .unknownListValue: nil
    default: preconditionFailure("the oracle does not know this type")
    }
  }
}
