internal import Foundation
internal import TidingsProto
internal import TidingsProtobuf

extension CKRecord.Contents {
  /// What the server answered.
  ///
  /// - Parameters:
  ///   - record: The answer.
  ///   - location: Where its assets are known.
  init(_ record: TidingsV1.Record, assetsIn location: AssetLocation = AssetLocation()) {
    let id = CKRecord.ID(record.recordID ?? .init())
    self.init(recordType: record.recordType, recordID: id)
    let owner = record.recordID?.zoneID?.ownerName ?? ""
    for (key, field) in record.fields {
      switch field.value {
      case .assetValue(let asset)?:
        values[key] = .init(.asset(CKAsset(nil, .init(asset: asset, location: location))))
      case .assetListValue(let list)?:
        values[key] = .init(
          .assets(list.values.map { CKAsset(nil, .init(asset: $0, location: location)) })
        )
      case .referenceValue(let reference)?:
        values[key] = .init(.referenceValue(reference.owned(by: owner)))
      case .referenceListValue(let list)?:
        let references = list.values.map { $0.owned(by: owner) }
        values[key] = .init(.referenceListValue(.init(values: references)))
      case let value?: values[key] = .init(value)
      case nil: break
      }
    }
    parent = record.parent.map { .init($0.owned(by: owner)) }
    if !record.shareRecordName.isEmpty {
      let share = CKRecord.ID(recordName: record.shareRecordName, zoneID: id.zoneID)
      self.share = .init(recordID: share, action: .none)
    }
    changeTag = record.changeTag.isEmpty ? nil : record.changeTag
    created = record.created.map { .init($0) }
    modified = record.modified.map { .init($0) }
    shareTerms = record.share.map { ShareTerms($0) }
  }

  /// The record with these values; a value that is `nil` removes its field.
  func wire(values: [String: CKRecordContent?]) -> TidingsV1.Record {
    TidingsV1.Record(
      recordID: recordID.wire,
      recordType: recordType,
      fields: values.mapValues { $0?.wire ?? .init() },
      changeTag: changeTag ?? "",
      created: created?.wire,
      modified: modified?.wire,
      parent: parent?.wire,
      share: shareTerms?.wire,
      shareRecordName: share?.recordID.recordName ?? ""
    )
  }

  /// What a save sends: the fields that were changed, or all.
  func saved(sendsAll: Bool) -> TidingsV1.Record {
    var sent: [String: CKRecordContent?] = [:]
    for key in changedKeys { sent[key] = .some(values[key]) }
    if sendsAll { for (key, value) in values { sent[key] = value } }
    var record = wire(values: sent)
    (record.created, record.modified) = (nil, nil)
    record.shareRecordName = ""
    if !isParentChanged { record.parent = nil }
    if isParentChanged, parent == nil { record.parent = .init(recordID: .init()) }
    return record
  }

  /// Takes in what the server says of a record that was saved as it is in `sent`.
  mutating func acknowledge(_ answer: TidingsV1.Record, sent: Self, as user: String) {
    let stored = Self(answer)
    (changeTag, created, modified) = (stored.changeTag, stored.created, stored.modified)
    share = stored.share
    if let terms = stored.shareTerms { shareTerms?.acknowledge(terms, as: user) }
    recordID =
      stored.recordID.zoneID.zoneName == recordID.zoneID.zoneName ? recordID : stored.recordID
    // What was changed while the save was on its way is still to be saved.
    changedKeys = changedKeys.filter { !Self.isSame(values[$0], sent.values[$0]) }
    isParentChanged = isParentChanged && parent != sent.parent
  }
}

extension CKRecord.Contents {
  /// Sets a field; a value that is set as it was read stays as it is stored, which can be more precise.
  mutating func set(_ content: CKRecordContent?, _ key: CKRecord.FieldKey) {
    let stored = values[key]
    guard stored == nil || !Self.isSame(stored?.value?.recordContent, content) else { return }
    values[key] = content
  }

  private static func isSame(_ one: CKRecordContent?, _ other: CKRecordContent?) -> Bool {
    switch (one?.kind, other?.kind) {
    case (nil, nil): true
    case (.value(let one)?, .value(let other)?): one == other
    case (.asset(let one)?, .asset(let other)?): one === other
    case (.assets(let one)?, .assets(let other)?): one.elementsEqual(other, by: ===)
    case (.unusable?, .unusable?): true
    default: false
    }
  }
}

extension CKRecordContent {
  /// The files of an asset or a list of them; `nil` for other values.
  var assets: [CKAsset]? {
    switch kind {
    case .asset(let asset): [asset]
    case .assets(let assets): assets
    case .value, .unusable: nil
    }
  }

  /// What is sent; assets by what the server knows them by.
  var wire: TidingsV1.FieldValue {
    switch kind {
    case .value(let value): .init(value: value)
    case .asset(let asset): .init(value: asset.stored.map { .assetValue($0.asset) })
    case .assets(let assets):
      .init(value: .assetListValue(.init(values: assets.compactMap(\.stored?.asset))))
    case .unusable: .init()
    }
  }
}

extension TidingsV1.Reference {
  /// Stored references name no owner: they lead to the database of their record.
  fileprivate func owned(by owner: String) -> Self {
    guard !owner.isEmpty, recordID?.zoneID?.ownerName.isEmpty ?? true else { return self }
    var reference = self
    var zone = recordID?.zoneID ?? .init()
    zone.ownerName = owner
    reference.recordID?.zoneID = zone
    return reference
  }
}

extension CKRecord.SystemModification {
  init(_ modification: TidingsV1.ModificationInfo) {
    let time = modification.timestamp.map { Date($0) } ?? Date(timeIntervalSince1970: 0)
    self.init(date: time, userName: modification.userRecordName, device: modification.deviceID)
  }

  var wire: TidingsV1.ModificationInfo {
    .init(timestamp: .init(date), userRecordName: userName, deviceID: device)
  }
}
