internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension WebEndpoints {
  static let listZones = WebEndpoint(.nothing) { try await fetchZones([], $0) }

  static let lookUpZones = WebEndpoint(.zones) { call in
    var ids: [TidingsV1.ZoneID] = []
    for input in try call.input.objects("zones") {
      // Some clients send the zone's ID itself.
      let zone = try ZoneDictionary.read(input, in: call.database)
      if zone != nil { try input.check(.zone) }
      ids.append(try zone ?? ZoneDictionary.id(input, in: call.database))
    }
    guard !ids.isEmpty else { return ["zones": .array([])] }
    return try await fetchZones(ids, call)
  }

  private static func fetchZones(
    _ ids: [TidingsV1.ZoneID],
    _ call: WebCall
  ) async throws -> JSONObject {
    let response = try await call.zones.fetchRecordZones(
      .init(databaseID: call.database.id, zoneIDs: ids),
      options: call.options
    )
    let tokens = await call.syncTokens(response.results.zones)
    return ["zones": .array(response.results.map { json($0, tokens, call) })]
  }

  static let modifyZones = WebEndpoint(.operations) { call in
    var saves: [TidingsV1.RecordZone] = []
    var deletions: [TidingsV1.ZoneID] = []
    var order = OperationOrder()
    for operation in try call.input.objects("operations") {
      try operation.check(.zoneOperation)
      let zone = try operation.requiredObject("zone")
      try zone.check(.zone)
      let id = try ZoneDictionary.required(zone, in: call.database)
      switch try operation.requiredString("operationType") {
      case "create":
        order.addSave()
        saves.append(.init(zoneID: id))
      case "delete":
        order.addDeletion()
        deletions.append(id)
      case let other:
        throw WebFailure.badRequest(
          "\(operation.path(to: "operationType")) is '\(other)': use create or delete"
        )
      }
    }
    try order.requireOperations()
    let response = try await call.zones.modifyRecordZones(
      .init(
        databaseID: call.database.id,
        zonesToSave: saves,
        zoneIDsToDelete: deletions,
        deletionReason: .deleted
      ),
      options: call.options
    )
    let results = try order.ordered(response.results)
    let tokens = await call.syncTokens(results.zones)
    return ["zones": .array(results.map { json($0, tokens, call) })]
  }

  private static func json(
    _ result: TidingsV1.ZoneResult,
    _ tokens: [TidingsV1.ZoneID: String],
    _ call: WebCall
  ) -> JSONValue {
    switch result.outcome {
    case .zone(let zone)?:
      .omittingNil([
        "zoneID": ZoneDictionary.json(zone.zoneID, in: call.database),
        "syncToken": zone.zoneID.flatMap { tokens[$0] }.map { .string($0) },
        "atomic": .bool(zone.capabilities?.atomic ?? false),
      ])
    case .error(let error)?: call.failure(zone: result.zoneID, WebFailure(error))
    default:
      ["zoneID": ZoneDictionary.json(result.zoneID, in: call.database), "deleted": .bool(true)]
    }
  }
}

extension [TidingsV1.ZoneResult] {
  /// The zones that are there.
  fileprivate var zones: [TidingsV1.ZoneID] {
    compactMap { result in
      if case .zone(let zone)? = result.outcome { zone.zoneID } else { nil }
    }
  }
}
