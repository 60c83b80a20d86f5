internal import TidingsProto

extension CKRecordContent {
  /// A list of what was stored of each element, which must be of one type.
  init(list: [CKRecordContent]) {
    func all<T>(_ pick: (TidingsV1.FieldValue.Value) -> T?) -> [T]? {
      var values: [T] = []
      for case .value(let value) in list.map(\.kind) {
        if let picked = pick(value) { values.append(picked) }
      }
      return values.count == list.count ? values : nil
    }
    var assets: [CKAsset] = []
    for case .asset(let asset) in list.map(\.kind) { assets.append(asset) }
    let reason = list.lazy.compactMap { content -> String? in
      if case .unusable(let reason) = content.kind { reason } else { nil }
    }.first
    if list.isEmpty {
      self.init(.unknownListValue(.init()))
    } else if let reason {
      self.init(.unusable(reason))
    } else if assets.count == list.count {
      self.init(.assets(assets))
    } else if let values = all({ if case .stringValue(let value) = $0 { value } else { nil } }) {
      self.init(.stringListValue(.init(values: values)))
    } else if let values = all({ if case .int64Value(let value) = $0 { value } else { nil } }) {
      self.init(.int64ListValue(.init(values: values)))
    } else if let values = all({ (value) -> Double? in
      switch value {
      case .doubleValue(let number): number
      case .int64Value(let number): Double(number)
      default: nil
      }
    }) {
      self.init(.doubleListValue(.init(values: values)))
    } else if let values = all({ if case .bytesValue(let value) = $0 { value } else { nil } }) {
      self.init(.bytesListValue(.init(values: values)))
    } else if let values = all({ if case .timestampValue(let value) = $0 { value } else { nil } }) {
      self.init(.timestampListValue(.init(values: values)))
    } else if let values = all({ if case .locationValue(let value) = $0 { value } else { nil } }) {
      self.init(.locationListValue(.init(values: values)))
    } else if let values = all({ if case .referenceValue(let value) = $0 { value } else { nil } }) {
      self.init(.referenceListValue(.init(values: values)))
    } else {
      self.init(.unusable("a list holds values of one type, and no lists"))
    }
  }

  /// The value, as code reads it.
  var value: (any CKRecordValueProtocol)? {
    switch kind {
    case .asset(let asset): asset
    case .assets(let assets): assets
    case .value(let value): Self.value(value)
    case .unusable: nil
    }
  }

  /// Numbers are NSNumbers, so that they can be cast to any type of number, as in CloudKit.
  private static func value(
    _ value: TidingsV1.FieldValue.Value
  ) -> (any CKRecordValueProtocol)? {
    switch value {
    case .stringValue(let text): text
    case .int64Value(let number): NSNumber(value: number)
    case .doubleValue(let number): NSNumber(value: number)
    case .bytesValue(let bytes): Data(bytes)
    case .timestampValue(let time): Date(time)
    case .locationValue(let location): CLLocation(location)
    case .referenceValue(let reference): CKRecord.Reference(reference)
    case .stringListValue(let list): list.values
    case .int64ListValue(let list): list.values.map { NSNumber(value: $0) }
    case .doubleListValue(let list): list.values.map { NSNumber(value: $0) }
    case .bytesListValue(let list): list.values.map { Data($0) }
    case .timestampListValue(let list): list.values.map { Date($0) }
    case .locationListValue(let list): list.values.map { CLLocation($0) }
    case .referenceListValue(let list): list.values.map { CKRecord.Reference($0) }
    case .unknownListValue: [String]()
    // Without a file: the record was not fetched through a database.
    case .assetValue, .assetListValue, .encryptedValue: nil
    }
  }
}
