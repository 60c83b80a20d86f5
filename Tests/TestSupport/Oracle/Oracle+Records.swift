public import TidingsProto

extension Oracle {
  /// Why a save fails whatever becomes of the other items; the first is what the server says, the
  /// others are true as well.
  struct Refusal {
    var codes: [TidingsV1.ErrorCode]
    var serverRecord: TidingsV1.Record?
    var ancestorRecord: TidingsV1.Record?
  }

  /// What becomes of a record that is saved, if nothing else of the call is in the way.
  enum SavePlan {
    case write(TidingsV1.Record)
    case refuse(Refusal)
  }

  /// What FetchRecords answers.
  public func fetch(
    _ ids: [TidingsV1.RecordID],
    keys: [String]? = nil,
    in database: Database
  ) -> [TidingsV1.RecordResult] {
    ids.map { id in
      let name = zoneName(id.zoneID)
      var result = TidingsV1.RecordResult(recordID: Self.recordID(id.recordName, name))
      guard let zone = zone(name, in: database) else {
        result.outcome = .error(.init(absence(of: name, in: database)))
        return result
      }
      guard let record = zone.rows[id.recordName]?.record else {
        result.outcome = .error(.init(.unknownItem))
        return result
      }
      result.outcome = .record(record.keeping(keys))
      return result
    }
  }

  /// The change tags that a record has had, with the present one.
  public func tags(of id: TidingsV1.RecordID, in database: Database) -> [String] {
    let zone = zone(zoneName(id.zoneID), in: database)
    return zone?.versions[id.recordName]?.keys.sorted() ?? []
  }

  /// A version of a record.
  public func version(
    _ tag: String,
    of id: TidingsV1.RecordID,
    in database: Database
  )
    -> TidingsV1.Record?
  {
    zone(zoneName(id.zoneID), in: database)?.versions[id.recordName]?[tag]
  }

  func plan(
    _ sent: TidingsV1.Record,
    _ policy: TidingsV1.SavePolicy,
    in database: Database,
    by caller: Caller,
    _ kinds: inout [String: [String: Int]]
  ) -> SavePlan {
    let (name, zoneName) = (sent.recordID?.recordName ?? "", zoneName(sent.recordID?.zoneID))
    guard let zone = zone(zoneName, in: database) else {
      return .refuse(Refusal(codes: [absence(of: zoneName, in: database), .invalidArguments]))
    }
    let old = zone.rows[name]?.record
    var refusal = Refusal(codes: [])
    if pointsOutside(sent, of: zoneName) { refusal.codes.append(.invalidArguments) }
    if policy == .unspecified || policy == .ifServerRecordUnchanged,
      sent.changeTag != old?.changeTag ?? ""
    {
      refusal.codes.append(old == nil ? .unknownItem : .serverRecordChanged)
      refusal.serverRecord = old
      refusal.ancestorRecord = zone.versions[name]?[sent.changeTag]
    }
    if let old, old.recordType != sent.recordType { refusal.codes.append(.invalidArguments) }

    var new = TidingsV1.Record(recordID: Self.recordID(name, zoneName), recordType: sent.recordType)
    new.fields = old?.fields ?? [:]
    for (field, value) in sent.fields { new.fields[field] = value.value == nil ? nil : value }
    new.parent = old?.parent
    if let parent = sent.parent {
      new.parent = parent.recordID?.recordName.isEmpty ?? true ? nil : parent
    }
    let head = zones[database]?[zoneName]?.head ?? zoneFloors[database, default: 0]
    new.changeTag = String(head + 1, radix: 36)
    let modification = TidingsV1.ModificationInfo(
      userRecordName: caller.user,
      deviceID: caller.device
    )
    new.created = old?.created ?? modification
    new.modified = modification
    var learned = kinds[new.recordType] ?? [:]
    for (field, value) in new.fields {
      guard let kind = value.kind else { continue }
      if learned[field] ?? kind != kind { refusal.codes.append(.invalidArguments) }
      learned[field] = kind
    }
    guard refusal.codes.isEmpty else { return .refuse(refusal) }
    kinds[new.recordType] = learned
    return .write(new)
  }
}

extension TidingsV1.Record {
  /// With some of the fields; `nil`: with all.
  public func keeping(_ keys: [String]?) -> Self {
    guard let keys else { return self }
    var copy = self
    copy.fields = fields.filter { keys.contains($0.key) }
    return copy
  }
}

extension TidingsV1.FieldValue {
  /// Numbers the types; an empty list of no type has none.
  var kind: Int? {
    switch value {
    case .stringValue: 1
    case .int64Value: 2
    case .doubleValue: 3
    case .bytesValue: 4
    case .timestampValue: 5
    case .locationValue: 6
    case .referenceValue: 7
    case .assetValue: 8
    case .stringListValue: 9
    case .int64ListValue: 10
    case .doubleListValue: 11
    case .bytesListValue: 12
    case .timestampListValue: 13
    case .locationListValue: 14
    case .referenceListValue: 15
    case .assetListValue: 16
    case .encryptedValue: 17
    case nil, .unknownListValue: nil
    }
  }
}
