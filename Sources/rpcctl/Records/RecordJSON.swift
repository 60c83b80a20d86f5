internal import TidingsJSON
internal import TidingsProto

/// Converts records between the wire and the JSON that `fetch-records` prints and `--save` takes.
enum RecordJSON {
  /// The JSON of a record that was fetched, or, without fields, saved.
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

  /// The record that JSON describes.
  ///
  /// What the server sets (`created`, `modified`) is passed over. The path names the record in
  /// errors; the zone is that of a record that names none.
  static func record(
    _ json: JSONValue,
    _ path: String,
    zoneName: String
  ) throws(ValueError)
    -> TidingsV1.Record
  {
    try record(json, path, zoneID: .init(zoneName: zoneName))
  }

  /// The record that JSON describes; the zone is that of a record that names none.
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
      throw ValueError(path, "recordType is needed")
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
          "an object must stand here, not \(fields.kindDescription)"
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
  /// In the place of a record's parent: the record shall have none.
  static let removed = Self(recordID: .init())
}
