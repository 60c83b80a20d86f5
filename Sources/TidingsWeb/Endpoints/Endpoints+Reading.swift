internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension WebEndpoints {
  static let queryRecords = WebEndpoint(.queryRecords) { call in
    let (input, style) = (call.input, try call.style())
    let queryInput = try input.requiredObject("query")
    let schema =
      try queryInput.objects("filterBy").contains(where: { try $0.isUntagged() })
      ? await call.fetchSchema() : nil
    let query = try QueryDictionary(queryInput, as: schema, in: call.database)
    var zone = try ZoneDictionary.read(input, in: call.database)
    if zone == nil, try input.bool("zoneWide") != true {
      zone = .init(zoneName: ZoneDictionary.defaultName)
    }
    let request = TidingsV1.QueryRecordsRequest(
      databaseID: call.database.id,
      recordType: query.recordType,
      predicate: query.predicate,
      sortDescriptors: query.sortDescriptors,
      zoneID: zone,
      desiredKeys: try DesiredKeys.read(input),
      limit: try resultsLimit(input),
      cursor: try input.base64("continuationMarker")
    )
    let response = try await found(query, request, call)
    var object: JSONObject = [
      "records": .array(
        response.records.map { .object(RecordDictionary.json($0, style, in: call.database)) }
      )
    ]
    if !response.cursor.isEmpty {
      object.append("continuationMarker", .string(Base64.encode(response.cursor)))
    }
    return object
  }

  /// Runs a query; one that finds nothing, or fails, may name a type or a field that does not exist.
  private static func found(
    _ query: QueryDictionary,
    _ request: TidingsV1.QueryRecordsRequest,
    _ call: WebCall
  ) async throws -> TidingsV1.QueryRecordsResponse {
    var response = TidingsV1.QueryRecordsResponse()
    var failure: (any Error)?
    do {
      response = try await call.records.queryRecords(request, options: call.options)
    } catch {
      guard WebFailure(error).code == .badRequest else { throw error }
      failure = error
    }
    guard response.records.isEmpty, response.cursor.isEmpty, request.cursor.isEmpty else {
      return response
    }
    // Fields of conditions may be in records that are still to be saved.
    let fields = failure == nil ? [] : query.fieldNames
    if let reason = await call.schemaFailure(recordType: query.recordType, fields: fields) {
      throw reason
    }
    if let failure { throw failure }
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
    let isAll = keys.contains(nil) || union.count > DesiredKeys.countMax
    let response = try await call.records.fetchRecords(
      .init(
        databaseID: call.database.id,
        recordIDs: ids,
        desiredKeys: isAll ? nil : .init(keys: union.sorted())
      ),
      options: call.options
    )
    return [
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
  }

  /// Of a page; 0: as many as the server gives.
  static func resultsLimit(_ input: WebInput) throws(WebFailure) -> UInt32 {
    let limit = try input.integer("resultsLimit", in: 1...Int.max) ?? WebLimits.itemsMax
    return UInt32(min(limit, WebLimits.itemsMax))
  }
}
