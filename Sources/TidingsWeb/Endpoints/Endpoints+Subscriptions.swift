internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension WebEndpoints {
  static let listSubscriptions = WebEndpoint(.nothing) { try await fetchSubscriptions([], $0) }

  static let lookUpSubscriptions = WebEndpoint(.subscriptions) { call in
    var ids: [String] = []
    for input in try call.input.objects("subscriptions") {
      try input.check(.subscription)
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

  static let modifySubscriptions = WebEndpoint(.operations) { call in
    var saves: [TidingsV1.Subscription] = []
    var deletions: [String] = []
    var order = OperationOrder()
    let operations = try call.input.objects("operations")
    let schema =
      try operations.contains(where: {
        try $0.object("subscription")?.object("query")?.hasUntaggedFilter() ?? false
      })
      ? await call.fetchSchema() : nil
    for operation in operations {
      try operation.check(.subscriptionOperation)
      let subscription = try operation.requiredObject("subscription")
      try subscription.check(.subscription)
      switch try operation.requiredString("operationType") {
      case "create", "update":
        order.addSave()
        var save = try SubscriptionDictionary.read(subscription, as: schema, in: call.database)
        if save.subscriptionID.isEmpty { save.subscriptionID = RequestID.make() }
        saves.append(save)
      case "delete":
        order.addDeletion()
        deletions.append(try subscription.requiredString("subscriptionID"))
      case let other:
        throw WebFailure.badRequest(
          "\(operation.path(to: "operationType")) is '\(other)': use create, update or delete"
        )
      }
    }
    try order.requireOperations()
    let response = try await call.subscriptions.modifySubscriptions(
      .init(
        databaseID: call.database.id,
        subscriptionsToSave: saves,
        subscriptionIDsToDelete: deletions
      ),
      options: call.options
    )
    return [
      "subscriptions": .array(try order.ordered(response.results).map { json($0, call) })
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
