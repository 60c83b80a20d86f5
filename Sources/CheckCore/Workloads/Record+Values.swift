internal import TidingsProto

extension TidingsV1.Record {
  /// A record with a value, to be saved by a run.
  init(_ type: String, _ id: TidingsV1.RecordID, _ version: Version) {
    self.init(recordID: id, recordType: type, changeTag: version.tag)
    guard let value = version.value else { return }
    fields["value"] = .init(value: .int64Value(value))
    fields["n"] = .init(value: .int64Value(Rule.number(value)))
  }

  /// The version that this is.
  var version: Version { Version(recordID?.recordName ?? "", fields.runValue, tag: changeTag) }
}

extension [String: TidingsV1.FieldValue] {
  /// The value that a run has saved.
  var runValue: Int64? {
    guard case .int64Value(let value)? = self["value"]?.value else { return nil }
    return value
  }
}

extension TidingsV1.RecordResult {
  /// The change tag of a record that was saved.
  var savedTag: String? {
    guard case .record(let record)? = outcome else { return nil }
    return record.changeTag
  }

  /// Why it failed.
  var failure: TidingsV1.ItemError? {
    guard case .error(let error)? = outcome else { return nil }
    return error
  }
}
