internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension WebEndpoints {
  static let listZones: WebEndpoint = { try await fetchZones([], $0) }

  static let lookUpZones: WebEndpoint = { call in
    var ids: [TidingsV1.ZoneID] = []
    for input in try call.input.objects("zones") {
      // Some clients send the zone's ID itself.
      let zone = try ZoneDictionary.read(input, in: call.database)
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
    return ["zones": .array(response.results.map { json($0, call) })]
  }

  static let modifyZones: WebEndpoint = { call in
    var saves: [TidingsV1.RecordZone] = []
    var deletions: [TidingsV1.ZoneID] = []
    var positions: [(isDeletion: Bool, index: Int)] = []
    for operation in try call.input.objects("operations") {
      let zone = try operation.requiredObject("zone")
      let id = try ZoneDictionary.required(zone, in: call.database)
      switch try operation.requiredString("operationType") {
      case "create":
        positions.append((false, saves.count))
        saves.append(.init(zoneID: id))
      case "delete":
        positions.append((true, deletions.count))
        deletions.append(id)
      case let other:
        throw WebFailure.badRequest(
          "\(operation.path(to: "operationType")) is '\(other)': use create or delete"
        )
      }
    }
    guard !positions.isEmpty else {
      throw WebFailure.badRequest("operations is empty: send at least one")
    }
    let response = try await call.zones.modifyRecordZones(
      .init(
        databaseID: call.database.id,
        zonesToSave: saves,
        zoneIDsToDelete: deletions,
        deletionReason: .deleted
      ),
      options: call.options
    )
    guard response.results.count == positions.count else {
      throw WebFailure(.internalError, "the server answered for another number of zones")
    }
    return [
      "zones": .array(
        positions.map { isDeletion, index in
          json(response.results[isDeletion ? saves.count + index : index], call)
        }
      )
    ]
  }

  private static func json(_ result: TidingsV1.ZoneResult, _ call: WebCall) -> JSONValue {
    switch result.outcome {
    case .zone(let zone)?:
      [
        "zoneID": ZoneDictionary.json(zone.zoneID, in: call.database),
        "atomic": .bool(zone.capabilities?.atomic ?? false),
      ]
    case .error(let error)?: call.failure(zone: result.zoneID, WebFailure(error))
    default:
      ["zoneID": ZoneDictionary.json(result.zoneID, in: call.database), "deleted": .bool(true)]
    }
  }
}
