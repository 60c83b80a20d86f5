internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension WebEndpoints {
  static let queryRecords = WebEndpoint(.queryRecords) { call in
    let (input, style) = (call.input, try call.style())
    let queryInput = try input.requiredObject("query")
    let schema =
      try queryInput.hasUntaggedFilter()
      ? await call.fetchSchema() : nil
    let query = try QueryDictionary(queryInput, as: schema, in: call.database)
    var zone = try ZoneDictionary.read(input, in: call.database)
    if zone == nil, try input.bool("zoneWide") != true {
      zone = .init(zoneName: ZoneDictionary.defaultName)
    }
    let whole = TidingsV1.QueryRecordsRequest(
      databaseID: call.database.id,
      recordType: query.recordType,
      predicate: query.predicate,
      sortDescriptors: query.sortDescriptors,
      zoneID: zone
    )
    var request = whole
    request.desiredKeys = try DesiredKeys.read(input)
    request.limit = try resultsLimit(input)
    request.cursor = try ContinuationMarker.cursor(input, of: whole)
    let token = await call.syncToken(zone)
    let response = try await found(query, request, call)
    var object: JSONObject = [
      "records": .array(
        response.records.map { .object(RecordDictionary.json($0, style, in: call.database)) }
      )
    ]
    if !response.cursor.isEmpty {
      object.append(
        "continuationMarker",
        .string(ContinuationMarker.text(response.cursor, of: whole))
      )
    }
    if let token { object.append("syncToken", .string(token)) }
    if !response.warnings.isEmpty {
      object.append("warnings", .array(response.warnings.map { .string($0) }))
    }
    return object
  }

  /// Runs a query; one that finds nothing, or fails, may name a type or a field that does not exist.
  private static func found(
    _ query: QueryDictionary,
    _ request: TidingsV1.QueryRecordsRequest,
    _ call: WebCall
  ) async throws -> TidingsV1.QueryRecordsResponse {
    let response: TidingsV1.QueryRecordsResponse
    do {
      response = try await call.records.queryRecords(request, options: call.options)
    } catch {
      // Only in production the schema can be the reason.
      guard request.cursor.isEmpty, call.database.environment == .production,
        WebFailure(error).code == .badRequest,
        let reason = await call.schemaFailure(
          recordType: query.recordType,
          fields: query.fieldNames
        )
      else { throw error }
      throw reason
    }
    guard response.records.isEmpty, response.cursor.isEmpty, request.cursor.isEmpty else {
      return response
    }
    // Fields of conditions may be in records that are still to be saved.
    if let reason = await call.schemaFailure(recordType: query.recordType, fields: []) {
      throw reason
    }
    return response
  }

  static let lookUpRecords = WebEndpoint(.lookUpRecords) { call in
    let (input, style) = (call.input, try call.style())
    let zone = try ZoneDictionary.read(input, in: call.database)
    let common = try DesiredKeys.names(input)
    let wanted = try input.objects("records")
    var ids: [TidingsV1.RecordID] = []
    var keys: [Set<String>?] = []
    // One call for all: records that want less get less here.
    var union = common ?? []
    for record in wanted {
      _ = try record.requiredString("recordName")
      try record.checkAsName()
      ids.append(try RecordDictionary.id(record, in: zone, of: call.database))
      let own = try DesiredKeys.names(record)
      if let own { union.formUnion(own) }
      keys.append(own ?? common)
    }
    guard !ids.isEmpty else { return ["records": .array([])] }
    let zones = Set(ids.map(\.zoneID))
    let token = await call.syncToken(zones.count == 1 ? zones.first ?? nil : nil)
    let isAll = keys.contains(nil) || union.count > DesiredKeys.countMax
    let response = try await call.records.fetchRecords(
      .init(
        databaseID: call.database.id,
        recordIDs: ids,
        desiredKeys: isAll ? nil : .init(keys: union.sorted())
      ),
      options: call.options
    )
    var object: JSONObject = [
      "records": .array(
        zip(response.results, keys).map { result, keys in
          switch result.outcome {
          case .record(let record)?:
            .object(RecordDictionary.json(record, style, keys: keys, in: call.database))
          case .error(let error)?: call.failure(record: result.recordID, WebFailure(error))
          default: .object(RecordDictionary.deleted(result.recordID, in: call.database))
          }
        }
      )
    ]
    if let token { object.append("syncToken", .string(token)) }
    return object
  }

  /// Of a page; 0: as many as the server gives.
  static func resultsLimit(_ input: WebInput) throws(WebFailure) -> UInt32 {
    let limit = try input.integer("resultsLimit", in: 1...Int.max) ?? WebLimits.itemsMax
    return UInt32(min(limit, WebLimits.itemsMax))
  }
}
