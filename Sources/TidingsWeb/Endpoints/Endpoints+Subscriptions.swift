internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension WebEndpoints {
  static let listSubscriptions: WebEndpoint = { try await fetchSubscriptions([], $0) }

  static let lookUpSubscriptions: WebEndpoint = { call in
    var ids: [String] = []
    for input in try call.input.objects("subscriptions") {
      ids.append(try input.requiredString("subscriptionID"))
    }
    guard !ids.isEmpty else { return ["subscriptions": .array([])] }
    return try await fetchSubscriptions(ids, call)
  }

  private static func fetchSubscriptions(
    _ ids: [String],
    _ call: WebCall
  ) async throws -> JSONObject {
    let response = try await call.subscriptions.fetchSubscriptions(
      .init(databaseID: call.database.id, subscriptionIDs: ids),
      options: call.options
    )
    return ["subscriptions": .array(response.results.map { json($0, call) })]
  }

  static let modifySubscriptions: WebEndpoint = { call in
    var saves: [TidingsV1.Subscription] = []
    var deletions: [String] = []
    var positions: [(isDeletion: Bool, index: Int)] = []
    for operation in try call.input.objects("operations") {
      let subscription = try operation.requiredObject("subscription")
      switch try operation.requiredString("operationType") {
      case "create", "update":
        positions.append((false, saves.count))
        var save = try SubscriptionDictionary.read(subscription, in: call.database)
        if save.subscriptionID.isEmpty { save.subscriptionID = RequestID.make() }
        saves.append(save)
      case "delete":
        positions.append((true, deletions.count))
        deletions.append(try subscription.requiredString("subscriptionID"))
      case let other:
        throw WebFailure.badRequest(
          "\(operation.path(to: "operationType")) is '\(other)': use create, update or delete"
        )
      }
    }
    guard !positions.isEmpty else {
      throw WebFailure.badRequest("operations is empty: send at least one")
    }
    let response = try await call.subscriptions.modifySubscriptions(
      .init(
        databaseID: call.database.id,
        subscriptionsToSave: saves,
        subscriptionIDsToDelete: deletions
      ),
      options: call.options
    )
    guard response.results.count == positions.count else {
      throw WebFailure(.internalError, "the server answered for another number of subscriptions")
    }
    return [
      "subscriptions": .array(
        positions.map { isDeletion, index in
          json(response.results[isDeletion ? saves.count + index : index], call)
        }
      )
    ]
  }

  private static func json(_ result: TidingsV1.SubscriptionResult, _ call: WebCall) -> JSONValue {
    switch result.outcome {
    case .subscription(let subscription)?:
      .object(SubscriptionDictionary.json(subscription, in: call.database))
    case .error(let error)?:
      call.failure("subscriptionID", .string(result.subscriptionID), WebFailure(error))
    default: ["subscriptionID": .string(result.subscriptionID)]
    }
  }
}
