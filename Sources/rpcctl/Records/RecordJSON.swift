internal import TidingsJSON
internal import TidingsProto

/// Converts records to and from the JSON that `fetch-records` prints and `--save` reads.
enum RecordJSON {
  /// Returns the JSON of a record that was fetched or, without fields, saved.
  static func json(_ record: TidingsV1.Record, hasFields: Bool = true) -> JSONValue {
    let id = record.recordID ?? .init()
    let values = FieldValueJSON(zoneName: id.zoneID?.zoneName ?? "")
    return .omittingNil([
      "recordType": .string(record.recordType), "recordName": .string(id.recordName),
      "zoneName": id.zoneNameJSON, "ownerName": id.ownerNameJSON,
      "changeTag": record.changeTag.isEmpty ? nil : .string(record.changeTag),
      "fields": hasFields ? values.json(record.fields, of: id) : nil,
      "parent": record.parent.map(values.json), "share": record.share.map(ShareJSON.json),
      "shareRecordName": record.shareRecordName.isEmpty ? nil : .string(record.shareRecordName),
      "created": record.created.map(json), "modified": record.modified.map(json),
    ])
  }

  private static func json(_ modification: TidingsV1.ModificationInfo) -> JSONValue {
    .omittingNil([
      "timestamp": modification.timestamp.map { .timestamp($0) },
      "userRecordName": .string(modification.userRecordName),
      "deviceId": modification.deviceID.isEmpty ? nil : .string(modification.deviceID),
    ])
  }

  /// Parses a record.
  ///
  /// Ignores what the server sets (`created`, `modified`). Errors name the path; the zone is that of a
  /// record without one.
  static func record(
    _ json: JSONValue,
    _ path: String,
    zoneName: String
  ) throws(ValueError)
    -> TidingsV1.Record
  {
    try record(json, path, zoneID: .init(zoneName: zoneName))
  }

  /// Parses a record; the zone is that of a record without one.
  static func record(
    _ json: JSONValue,
    _ path: String,
    zoneID: TidingsV1.ZoneID
  ) throws(ValueError)
    -> TidingsV1.Record
  {
    let reader = FieldValueJSON()
    let object = try reader.members(
      json,
      path,
      allowing: [
        "recordType", "recordName", "zoneName", "ownerName", "changeTag", "fields", "parent",
        "share", "shareRecordName", "created", "modified",
      ]
    )
    func text(_ name: String) throws(ValueError) -> String? {
      guard let json = object[name], json != .null else { return nil }
      return try reader.string(json, "\(path).\(name)")
    }
    guard let recordType = try text("recordType") else {
      throw ValueError(path, "recordType is required")
    }
    let zone = TidingsV1.ZoneID(
      zoneName: try text("zoneName") ?? zoneID.zoneName,
      ownerName: try text("ownerName") ?? zoneID.ownerName
    )
    var record = TidingsV1.Record(
      recordID: .init(
        recordName: try text("recordName") ?? "",
        zoneID: zone == TidingsV1.ZoneID() ? nil : zone
      ),
      recordType: recordType
    )
    record.changeTag = try text("changeTag") ?? ""
    let values = FieldValueJSON(zoneName: zone.zoneName)
    if let fields = object["fields"], fields != .null {
      guard let members = fields.object?.members else {
        throw ValueError(
          "\(path).fields",
          "expected an object, not \(fields.kindDescription)"
        )
      }
      for field in members {
        let path = "\(path).fields.\(field.name)"
        let sealed = try EncryptedFields.value(
          field.value,
          field: field.name,
          of: record.recordID ?? .init(),
          values,
          path
        )
        if let sealed {
          record.fields[field.name] = sealed
        } else {
          record.fields[field.name] = try values.value(field.value, path)
        }
      }
    }
    if let parent = object["parent"] {
      record.parent =
        parent == .null ? .removed : try values.reference(parent, "\(path).parent")
    }
    if let share = object["share"], share != .null {
      record.share = try ShareJSON.share(share, "\(path).share")
    }
    return record
  }
}

extension TidingsV1.Reference {
  /// The reference that removes a record's parent.
  static let removed = Self(recordID: .init())
}
