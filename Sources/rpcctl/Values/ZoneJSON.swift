internal import TidingsJSON
internal import TidingsProto

extension TidingsV1.RecordZone {
  /// The zone for programs.
  var json: JSONValue {
    get throws {
      let owner = zoneID?.ownerName ?? ""
      return .omittingNil([
        "zoneName": .string(zoneID?.name ?? ZoneName.defaultZone),
        "ownerName": owner.isEmpty ? nil : .string(owner),
        "capabilities": try capabilities.map { try Contract.json($0) },
        "created": created.map { .timestamp($0) },
        // 64 bits: a string, as everywhere in proto3's JSON.
        "sequenceNumber": .string("\(sequenceNumber)"),
      ])
    }
  }
}
