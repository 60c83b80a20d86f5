internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension WebEndpoints {
  static let uploadAssets = WebEndpoint(.uploads) { call in
    var answers: [JSONValue] = []
    for token in try call.input.objects("tokens") {
      try token.check(.upload)
      let field = try token.requiredString("fieldName")
      guard let url = call.uploadURL?() else {
        throw WebFailure(.internalError, "this gateway takes no assets")
      }
      answers.append([
        "recordName": .string(try token.string("recordName") ?? RequestID.make()),
        "fieldName": .string(field),
        "url": .string(url),
      ])
    }
    return ["tokens": .array(answers)]
  }

  /// Contents are stored once a database, whichever records refer to them: what a record has can be given to
  /// another record as it is.
  static let rereferenceAssets = WebEndpoint(.rereferences) { call in
    let zone = try ZoneDictionary.read(call.input, in: call.database)
    var ids: [TidingsV1.RecordID] = []
    var fields: [String] = []
    for asset in try call.input.objects("assets") {
      try asset.check(.rereference)
      _ = try asset.requiredString("recordName")
      ids.append(try RecordDictionary.id(asset, in: zone, of: call.database))
      fields.append(try asset.requiredString("fieldName"))
    }
    guard !ids.isEmpty else { return ["assets": .array([])] }
    let response = try await call.records.fetchRecords(
      .init(
        databaseID: call.database.id,
        recordIDs: ids,
        desiredKeys: .init(keys: Array(Set(fields)).sorted())
      ),
      options: call.options
    )
    return [
      "assets": .array(
        zip(response.results, fields).map { result, field in
          if case .error(let error)? = result.outcome {
            return call.failure(record: result.recordID, WebFailure(error))
          }
          guard case .record(let record)? = result.outcome,
            case .assetValue(let asset)? = record.fields[field]?.value
          else {
            return call.failure(
              record: result.recordID,
              WebFailure(.notFound, "the field '\(field)' of the record has no asset")
            )
          }
          return .object(AssetDictionary.members(asset))
        }
      )
    ]
  }
}
