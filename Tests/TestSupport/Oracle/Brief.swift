public import TidingsProto

// What a difference is reported with: one line for a thing, for people.

extension TidingsV1.RecordID {
  public var brief: String {
    let zone = zoneID?.zoneName ?? ""
    return zone.isEmpty ? recordName : "\(zone)/\(recordName)"
  }
}

extension TidingsV1.Record {
  public var brief: String {
    let texts = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.brief)" }
    let parent = parent.map { ", parent \($0.recordID?.brief ?? "")" } ?? ""
    let modifications = [created, modified].compactMap { modification in
      modification.map { "\($0.userRecordName)/\($0.deviceID)" }
    }
    return "\(recordType) \(recordID?.brief ?? "no ID") '\(changeTag)'\(parent) {"
      + texts.joined(separator: ", ") + "}" + (modifications.isEmpty ? "" : " \(modifications)")
  }
}

extension TidingsV1.FieldValue {
  public var brief: String {
    switch value {
    case nil: "null"
    case .stringValue(let text): text.debugDescription
    case .int64Value(let number): "\(number)"
    case .doubleValue(let number): "\(number)"
    case .bytesValue(let bytes): "\(bytes)"
    case .timestampValue(let time): "\(time.seconds).\(time.nanos) s"
    case .locationValue(let location): "(\(location.latitude), \(location.longitude))"
    case .referenceValue(let reference): reference.brief
    case .referenceListValue(let list): "\(list.values.map(\.brief))"
    case .stringListValue(let list): "\(list.values)"
    case .int64ListValue(let list): "\(list.values)"
    case .doubleListValue(let list): "\(list.values)"
    case let value?: "\(value)"
    }
  }
}

extension TidingsV1.Reference {
  fileprivate var brief: String {
    let action =
      switch action {
      case .deleteSelf: " (delete self)"
      case .validate: " (validate)"
      default: ""
      }
    return "→ \(recordID?.brief ?? "")\(action)"
  }
}

extension TidingsV1.RecordResult {
  public var brief: String {
    let outcome =
      switch outcome {
      case .record(let record): "record \(record.brief)"
      case .deleted: "deleted"
      case .error(let error): "\(error.code) \(error.message)"
      case nil: "nothing"
      }
    return "\(recordID?.brief ?? "no ID"): \(outcome)"
      + (serverRecord.map { "; server \($0.brief)" } ?? "")
      + (ancestorRecord.map { "; ancestor \($0.brief)" } ?? "")
  }
}

extension TidingsV1.ModifyRecordsRequest {
  public var brief: String {
    var words = ["\(savePolicy)", atomic.map { $0 ? "atomic" : "each alone" } ?? ""]
    if dryRun { words.append("dry run") }
    if !clientChangeTokenData.isEmpty {
      words.append("mark \(String(decoding: clientChangeTokenData, as: UTF8.self))")
    }
    let lines = recordsToSave.map { "\n  + \($0.brief)" }
    let deletions = recordIDsToDelete.map { "\n  - \($0.brief)" }
    return "modify \(words.joined(separator: " "))" + (lines + deletions).joined()
  }
}
