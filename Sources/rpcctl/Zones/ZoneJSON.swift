internal import TidingsJSON
internal import TidingsProto

extension TidingsV1.RecordZone {
  /// Returns the JSON of a zone.
  var json: JSONValue {
    get throws {
      let owner = zoneID?.ownerName ?? ""
      return .omittingNil([
        "zoneName": .string(zoneID?.name ?? ZoneName.defaultZone),
        "ownerName": owner.isEmpty ? nil : .string(owner),
        "capabilities": try capabilities.map { try Contract.json($0) },
        "created": created.map { .timestamp($0) },
        // 64-bit numbers are strings in proto3's JSON.
        "sequenceNumber": .string("\(sequenceNumber)"),
      ])
    }
  }
}

extension TidingsV1.ZoneID {
  /// Returns the JSON of a zone's id, with its owner if it has one.
  var json: JSONObject {
    var object: JSONObject = ["zoneName": .string(name)]
    if !ownerName.isEmpty { object.append("ownerName", .string(ownerName)) }
    return object
  }

  /// The zone as `--zone` accepts it: `OWNER/ZONE` in the shared database.
  var shownName: String { ownerName.isEmpty ? name : "\(ownerName)/\(name)" }
}
