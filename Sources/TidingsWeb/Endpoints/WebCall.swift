package import TidingsJSON
package import TidingsProto
package import TidingsRPC

/// One request of a caller, as an endpoint sees it.
package struct WebCall: Sendable {
  /// Where.
  package var database: WebDatabase
  /// The request's body.
  package var input: WebInput
  /// Carries calls to the server.
  package var transport: any ClientTransport
  /// With whom the caller has authenticated.
  package var options: CallOptions
  /// Applies the changes of the request once, however often it is sent; `nil`: each time.
  package var idempotencyKey: String?
  /// The answer has the token of the zone, as it was before the request.
  package var wantsSyncToken = false
  /// Of this request, in its answer and in the log.
  package var uuid: String
  /// Makes the URL of an asset's content.
  package var downloadURL: (@Sendable (TidingsV1.Asset) -> String?)?
  /// Makes the URL to which an asset's content is sent.
  package var uploadURL: (@Sendable () -> String?)?

  package init(
    database: WebDatabase,
    input: WebInput,
    transport: any ClientTransport,
    options: CallOptions,
    uuid: String
  ) {
    (self.database, self.input) = (database, input)
    (self.transport, self.options, self.uuid) = (transport, options, uuid)
  }

  var records: TidingsV1.RecordService.Client { .init(transport) }
  var zones: TidingsV1.ZoneService.Client { .init(transport) }
  var subscriptions: TidingsV1.SubscriptionService.Client { .init(transport) }
  var shares: TidingsV1.ShareService.Client { .init(transport) }
  var accounts: TidingsV1.AccountService.Client { .init(transport) }

  /// Of the call that changes something.
  var changeOptions: CallOptions {
    var options = options
    options.idempotencyKey = idempotencyKey
    return options
  }

  /// How values are written in the answer.
  func style() throws(WebFailure) -> FieldDictionary.Style {
    .init(
      numbersAsStrings: try input.bool("numbersAsStrings") ?? false,
      downloadURL: downloadURL.map { make in { make($0) } }
    )
  }

  /// The dictionary of an item that failed.
  func failure(
    _ name: String,
    _ item: JSONValue,
    _ failure: WebFailure
  ) -> JSONValue {
    var object: JSONObject = [name: item]
    failure.append(to: &object, uuid: uuid)
    return .object(object)
  }

  func failure(record id: TidingsV1.RecordID?, _ failure: WebFailure) -> JSONValue {
    self.failure("recordName", .string(id?.recordName ?? ""), failure)
  }

  func failure(zone id: TidingsV1.ZoneID?, _ failure: WebFailure) -> JSONValue {
    self.failure("zoneID", ZoneDictionary.json(id, in: database), failure)
  }
}

/// Answers the requests of one path.
package struct WebEndpoint: Sendable {
  /// What a request may have.
  private let members: WebMembers
  private let body: @Sendable (WebCall) async throws -> JSONObject

  init(_ members: WebMembers, _ body: @escaping @Sendable (WebCall) async throws -> JSONObject) {
    (self.members, self.body) = (members, body)
  }

  package func answer(_ call: WebCall) async throws -> JSONObject {
    try call.input.check(members)
    return try await body(call)
  }
}

/// The endpoints below `/database/1/CONTAINER/ENVIRONMENT/SCOPE/`.
package enum WebEndpoints {
  /// By entity and action.
  package static let all: [String: WebEndpoint] = [
    "records/query": queryRecords,
    "records/lookup": lookUpRecords,
    "records/modify": modifyRecords,
    "records/changes": recordChanges,
    "records/resolve": resolveShares,
    "records/accept": acceptShares,
    "changes/database": databaseChanges,
    "changes/zone": zoneChanges,
    "zones/changes": databaseChangesByMetaToken,
    "zones/list": listZones,
    "zones/lookup": lookUpZones,
    "zones/modify": modifyZones,
    "subscriptions/list": listSubscriptions,
    "subscriptions/lookup": lookUpSubscriptions,
    "subscriptions/modify": modifySubscriptions,
    "users/caller": caller,
    "users/current": currentUser,
    "users/discover": discoverUsers,
    "users/lookup/email": lookUpUsers,
    "users/lookup/id": lookUpUsers,
    "users/lookup/contacts": discoverUsers,
    "assets/upload": uploadAssets,
    "assets/rereference": rereferenceAssets,
  ]
}
