internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension WebEndpoints {
  static let resolveShares = WebEndpoint(.shares) { call in
    let inputs = try call.input.objects("shortGUIDs")
    let wantsRoot = try inputs.contains { input throws(WebFailure) in
      try input.bool("shouldFetchRootRecord") ?? false
    }
    let keys = try rootKeys(inputs)
    let response = try await call.shares.fetchShareMetadata(
      .init(urls: try addresses(inputs, call), wantsRootRecord: wantsRoot),
      options: call.options
    )
    return try answer(inputs, keys, response.results, call)
  }

  static let acceptShares = WebEndpoint(.shares) { call in
    let inputs = try call.input.objects("shortGUIDs")
    let keys = try rootKeys(inputs)
    let response = try await call.shares.acceptShares(
      .init(urls: try addresses(inputs, call)),
      options: call.options
    )
    return try answer(inputs, keys, response.results, call)
  }

  /// What is wanted of the records that are shared; read before anything is changed.
  private static func rootKeys(_ inputs: [WebInput]) throws(WebFailure) -> [Set<String>?] {
    var keys: [Set<String>?] = []
    for input in inputs {
      try input.check(.shortGUID)
      keys.append(try DesiredKeys.names(input, "rootRecordDesiredKeys"))
    }
    return keys
  }

  /// Whole URLs are taken too.
  private static func addresses(
    _ inputs: [WebInput],
    _ call: WebCall
  ) throws(WebFailure) -> [String] {
    var addresses: [String] = []
    for input in inputs { addresses.append(try input.requiredString("value")) }
    guard !addresses.isEmpty else { throw .badRequest("shortGUIDs is empty: send at least one") }
    return addresses.map { ShareAddress.url($0, in: call.database) }
  }

  private static func answer(
    _ inputs: [WebInput],
    _ keys: [Set<String>?],
    _ results: [TidingsV1.ShareResult],
    _ call: WebCall
  ) throws(WebFailure) -> JSONObject {
    let style = try call.style()
    var answers: [JSONValue] = []
    for ((input, keys), result) in zip(zip(inputs, keys), results) {
      let guid = JSONValue.object(input.object)
      switch result.outcome {
      case .metadata(let metadata)?:
        var object: JSONObject = ["shortGUID": guid]
        append(metadata, keys, style, to: &object, call)
        answers.append(.object(object))
      case .error(let error)?: answers.append(call.failure("shortGUID", guid, WebFailure(error)))
      case nil: answers.append(["shortGUID": guid])
      }
    }
    return ["results": .array(answers)]
  }

  private static func append(
    _ metadata: TidingsV1.ShareMetadata,
    _ keys: Set<String>?,
    _ style: FieldDictionary.Style,
    to object: inout JSONObject,
    _ call: WebCall
  ) {
    let isOwner = metadata.participant?.role == .owner
    var shared = call.database
    shared.scope = isOwner ? .private : .shared
    object.append("containerIdentifier", .string(metadata.container))
    object.append("environment", .string(metadata.environment.webName))
    object.append("databaseScope", .string(isOwner ? "PRIVATE" : "SHARED"))
    object.append("zoneID", ZoneDictionary.json(metadata.zoneID, in: shared))
    if !metadata.rootRecordName.isEmpty {
      object.append("rootRecordName", .string(metadata.rootRecordName))
    }
    if let root = metadata.rootRecord {
      object.append(
        "rootRecord",
        .object(RecordDictionary.json(root, style, keys: keys, in: shared))
      )
    }
    if let share = metadata.share {
      object.append("share", .object(RecordDictionary.json(share, style, in: shared)))
    }
    let owner = metadata.zoneID?.ownerName ?? ""
    object.append("ownerIdentity", UserDictionary.identity(owner))
    if let participant = metadata.participant, participant.role != .unspecified,
      let members = ShareDictionary.json(participant).object
    {
      object.append("participantPermission", members["permission"] ?? .null)
      object.append("participantStatus", members["acceptanceStatus"] ?? .null)
      object.append("participantType", members["type"] ?? .null)
    } else {
      let permission = metadata.share?.share?.publicPermission ?? .none
      object.append("participantPermission", .string(ShareDictionary.name(permission)))
      object.append("participantStatus", "UNKNOWN")
      object.append("participantType", "PUBLIC_USER")
    }
  }
}
