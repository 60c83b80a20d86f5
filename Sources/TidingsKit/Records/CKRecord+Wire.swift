internal import Foundation
internal import TidingsProto
internal import TidingsProtobuf

extension CKRecord {
  /// What the server answered, without the files of its assets.
  convenience init(_ record: TidingsV1.Record) { self.init(Contents(record)) }
}

extension CKRecord.Contents {
  /// What the server answered.
  init(_ record: TidingsV1.Record) {
    let id = CKRecord.ID(record.recordID ?? .init())
    self.init(recordType: record.recordType, recordID: id)
    for (key, field) in record.fields {
      switch field.value {
      case .assetValue(let asset)?:
        values[key] = .init(.asset(CKAsset(fileURL: nil, stored: asset)))
      case .assetListValue(let list)?:
        values[key] = .init(.assets(list.values.map { CKAsset(fileURL: nil, stored: $0) }))
      case let value?: values[key] = .init(value)
      case nil: break
      }
    }
    parent = record.parent.map { .init($0) }
    if !record.shareRecordName.isEmpty {
      let share = CKRecord.ID(recordName: record.shareRecordName, zoneID: id.zoneID)
      self.share = .init(recordID: share, action: .none)
    }
    changeTag = record.changeTag.isEmpty ? nil : record.changeTag
    created = record.created.map { .init($0) }
    modified = record.modified.map { .init($0) }
    wireShare = record.share
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
      share: wireShare,
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
  mutating func acknowledge(_ answer: TidingsV1.Record, sent: Self) {
    let stored = Self(answer)
    (changeTag, created, modified) = (stored.changeTag, stored.created, stored.modified)
    (share, wireShare) = (stored.share, stored.wireShare)
    recordID =
      stored.recordID.zoneID.zoneName == recordID.zoneID.zoneName ? recordID : stored.recordID
    changedKeys = []
    isParentChanged = false
  }
}

extension CKRecordContent {
  /// What is sent; assets by what the server knows them by.
  var wire: TidingsV1.FieldValue {
    switch kind {
    case .value(let value): .init(value: value)
    case .asset(let asset): .init(value: asset.stored.map { .assetValue($0) })
    case .assets(let assets):
      .init(value: .assetListValue(.init(values: assets.compactMap(\.stored))))
    case .unusable: .init()
    }
  }
}

extension CKRecord.SystemStamp {
  init(_ stamp: TidingsV1.Stamp) {
    let time = stamp.timestamp.map { Date($0) } ?? Date(timeIntervalSince1970: 0)
    self.init(date: time, userName: stamp.userRecordName, device: stamp.deviceID)
  }

  var wire: TidingsV1.Stamp {
    .init(timestamp: .init(date), userRecordName: userName, deviceID: device)
  }
}
