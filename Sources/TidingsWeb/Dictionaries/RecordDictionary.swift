internal import TidingsJSON
internal import TidingsProto

/// `{recordName, recordType, fields, recordChangeTag, created, modified, zoneID, parent, share}`.
enum RecordDictionary {
  /// Reads a record to save.
  ///
  /// - Parameters:
  ///   - input: The dictionary.
  ///   - zone: Of the request; the record's own zone precedes.
  ///   - storedType: The type of the stored record, if none is sent.
  ///   - schema: What values are that say no type.
  ///   - shares: The stored shares among the records to save.
  ///   - database: Where it is saved.
  /// - Returns: The record.
  /// - Throws: `badRequest`, with the path to what is wrong.
  static func read(
    _ input: WebInput,
    in zone: TidingsV1.ZoneID?,
    stored storedType: String? = nil,
    as schema: WebSchema? = nil,
    updating shares: [TidingsV1.RecordID: TidingsV1.Share] = [:],
    of database: WebDatabase
  ) throws(WebFailure) -> TidingsV1.Record {
    let type = try input.string("recordType") ?? storedType ?? ""
    try input.check(ShareDictionary.isShare(type) ? .share : .record)
    var record = TidingsV1.Record(
      recordID: try id(input, in: zone, of: database),
      recordType: ShareDictionary.isShare(type) ? ShareDictionary.recordType : type,
      changeTag: try input.string("recordChangeTag") ?? ""
    )
    if let fields = try input.object("fields") {
      for member in fields.object.members {
        let path = fields.path(to: member.name)
        switch member.value {
        case .null: record.fields[member.name] = .init()
        case .object(let object):
          record.fields[member.name] = try FieldDictionary.read(
            WebInput(object, at: path),
            hint: schema?.type(of: member.name, in: record.recordType),
            from: record.recordID?.zoneID,
            in: database
          )
        default:
          throw .badRequest(
            "\(path) is \(member.value.kindDescription), not an object with the member 'value'"
          )
        }
      }
    }
    if let parent = input.object["parent"] {
      record.parent = .init(recordID: .init())
      if parent != .null, let parent = try input.object("parent") {
        record.parent = try ReferenceDictionary.read(
          parent,
          from: record.recordID?.zoneID,
          in: database
        )
      }
    }
    if ShareDictionary.isShare(type) {
      let stored = record.recordID.flatMap { shares[$0] }
      record.share = try ShareDictionary.read(input, over: stored)
      try ShareDictionary.checkZone(input, of: &record, in: database)
      if try input.string("recordName") == nil { record.recordID?.recordName = "" }
    }
    return record
  }

  static func id(
    _ input: WebInput,
    in zone: TidingsV1.ZoneID?,
    of database: WebDatabase
  ) throws(WebFailure) -> TidingsV1.RecordID {
    .init(
      recordName: try input.string("recordName") ?? "",
      zoneID: try ZoneDictionary.read(input, in: database) ?? zone
    )
  }

  static func json(
    _ record: TidingsV1.Record,
    _ style: FieldDictionary.Style,
    keys: Set<String>? = nil,
    in database: WebDatabase
  ) -> JSONObject {
    var object = JSONObject(capacity: 12)
    object.append("recordName", .string(record.recordID?.recordName ?? ""))
    object.append("recordType", .string(record.recordType))
    var fields = JSONObject(capacity: record.fields.count)
    for (name, value) in record.fields.sorted(by: { $0.key < $1.key })
    where keys?.contains(name) ?? true {
      if let json = FieldDictionary.json(value, style, in: database) { fields.append(name, json) }
    }
    object.append("fields", .object(fields))
    object.append("pluginFields", .object(JSONObject()))
    object.append("recordChangeTag", .string(record.changeTag))
    object.append("created", modification(record.created))
    object.append("modified", modification(record.modified))
    object.append("deleted", .bool(false))
    object.append("zoneID", ZoneDictionary.json(record.recordID?.zoneID, in: database))
    if let name = record.parent?.recordID?.recordName, !name.isEmpty {
      object.append("parent", ["recordName": .string(name)])
    }
    if !record.shareRecordName.isEmpty {
      object.append(
        "share",
        [
          "recordName": .string(record.shareRecordName),
          "zoneID": ZoneDictionary.json(record.recordID?.zoneID, in: database),
        ]
      )
    }
    if let share = record.share { ShareDictionary.append(share, to: &object) }
    return object
  }

  /// A record that is gone.
  static func deleted(
    _ id: TidingsV1.RecordID?,
    type: String? = nil,
    in database: WebDatabase
  ) -> JSONObject {
    var object: JSONObject = ["recordName": .string(id?.recordName ?? "")]
    if let type { object.append("recordType", .string(type)) }
    object.append("deleted", .bool(true))
    object.append("zoneID", ZoneDictionary.json(id?.zoneID, in: database))
    return object
  }

  /// Some clients need all three members.
  private static func modification(_ info: TidingsV1.ModificationInfo?) -> JSONValue {
    var object = JSONObject(capacity: 3)
    object.append("timestamp", .integer(info?.timestamp?.milliseconds ?? 0))
    object.append("userRecordName", .string(info?.userRecordName ?? ""))
    object.append("deviceID", .string(info?.deviceID ?? ""))
    return .object(object)
  }
}
