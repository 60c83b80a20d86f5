internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension WebEndpoints {
  /// Deprecated by CloudKit in favour of `changes/zone`.
  static let recordChanges = WebEndpoint(.recordChanges) { call in
    let zone = try ZoneDictionary.required(call.input, in: call.database)
    guard !zone.isDefault else {
      throw WebFailure.badRequest("zoneID is the default zone, which has no change feed")
    }
    let style = try call.style()
    let changes = try await fetchZones([try zoneOptions(call.input, zone)], call)
    guard let changes = changes.first else {
      throw WebFailure(.internalError, "the server answered for no zone")
    }
    if let error = changes.error { throw WebFailure(error) }
    var object: JSONObject = ["records": records(changes, style, call)]
    object.append("syncToken", .string(Base64.encode(changes.changeToken)))
    object.append("moreComing", .bool(changes.moreComing))
    return object
  }

  static let zoneChanges = WebEndpoint(.zoneChanges) { call in
    let zones = try call.input.objects("zones")
    guard !zones.isEmpty else { throw call.input.missing("zones") }
    var options: [TidingsV1.ZoneChangesOptions] = []
    var styles: [FieldDictionary.Style] = []
    for input in zones {
      try input.check(.zoneChangesOptions)
      let zone = try ZoneDictionary.required(input, in: call.database)
      var style = try call.style()
      if let flag = try input.bool("numbersAsStrings") { style.numbersAsStrings = flag }
      styles.append(style)
      var option = try zoneOptions(input, zone)
      option.newestFirst = try input.bool("reverse") ?? call.input.bool("reverse") ?? false
      // What is beside the zones is for those that say nothing of it.
      if option.desiredKeys == nil { option.desiredKeys = try DesiredKeys.read(call.input) }
      if input["desiredRecordTypes"] == nil {
        option.recordTypes = try call.input.strings("desiredRecordTypes") ?? []
      }
      options.append(option)
    }
    let changes = try await fetchZones(options, call)
    return [
      "zones": .array(
        zip(changes, styles).map { zone, style in
          if let error = zone.error { return call.failure(zone: zone.zoneID, WebFailure(error)) }
          return [
            "zoneID": ZoneDictionary.json(zone.zoneID, in: call.database),
            "syncToken": .string(Base64.encode(zone.changeToken)),
            "moreComing": .bool(zone.moreComing),
            "records": records(zone, style, call),
          ]
        }
      )
    ]
  }

  private static func zoneOptions(
    _ input: WebInput,
    _ zone: TidingsV1.ZoneID
  ) throws(WebFailure) -> TidingsV1.ZoneChangesOptions {
    .init(
      zoneID: zone,
      changeToken: try input.base64("syncToken"),
      desiredKeys: try DesiredKeys.read(input),
      recordTypes: try input.strings("desiredRecordTypes") ?? [],
      limit: try resultsLimit(input)
    )
  }

  private static func fetchZones(
    _ options: [TidingsV1.ZoneChangesOptions],
    _ call: WebCall
  ) async throws -> [TidingsV1.ZoneChanges] {
    try await call.records.fetchRecordZoneChanges(
      .init(
        databaseID: call.database.id,
        zones: options,
        limit: try resultsLimit(call.input)
      ),
      options: call.options
    ).zones
  }

  /// Deletions come behind the records that are left.
  private static func records(
    _ zone: TidingsV1.ZoneChanges,
    _ style: FieldDictionary.Style,
    _ call: WebCall
  ) -> JSONValue {
    .array(
      zone.changedRecords.map {
        .object(RecordDictionary.json($0, style, in: call.database))
      }
        + zone.deletedRecords.map {
          .object(
            RecordDictionary.deleted($0.recordID, type: $0.recordType, in: call.database)
          )
        }
    )
  }

  static let databaseChanges = WebEndpoint(.databaseChanges) {
    try await databaseChanges($0, token: "syncToken")
  }

  /// Deprecated by CloudKit in favour of `changes/database`; its token has another name.
  static let databaseChangesByMetaToken = WebEndpoint(.databaseChangesByMetaToken) {
    try await databaseChanges($0, token: "metaSyncToken")
  }

  private static func databaseChanges(
    _ call: WebCall,
    token name: String
  ) async throws -> JSONObject {
    let changes = try await call.records.fetchDatabaseChanges(
      .init(
        databaseID: call.database.id,
        changeToken: try call.input.base64(name),
        limit: try resultsLimit(call.input)
      ),
      options: call.options
    )
    var zones: [JSONValue] = changes.changedZoneIDs.map {
      ["zoneID": ZoneDictionary.json($0, in: call.database)]
    }
    zones += changes.deletedZones.map {
      ["zoneID": ZoneDictionary.json($0.zoneID, in: call.database), "deleted": .bool(true)]
    }
    var object: JSONObject = ["zones": .array(zones)]
    object.append(name, .string(Base64.encode(changes.changeToken)))
    object.append("moreComing", .bool(changes.moreComing))
    return object
  }
}
