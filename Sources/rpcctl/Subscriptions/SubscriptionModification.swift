internal import TidingsProto
internal import TidingsRPC

/// Subscriptions to save and to delete: the operation ModifySubscriptions.
struct SubscriptionModification: Sendable {
  let databaseID: TidingsV1.DatabaseID
  var saves: [TidingsV1.Subscription] = []
  var deletes: [String] = []

  /// Makes the call.
  func send(
    over transport: any ClientTransport,
    options: CallOptions
  ) async throws(RPCError) -> [TidingsV1.SubscriptionResult] {
    try await TidingsV1.SubscriptionService.Client(transport).modifySubscriptions(
      .init(
        databaseID: databaseID,
        subscriptionsToSave: saves,
        subscriptionIDsToDelete: deletes
      ),
      options: options
    ).results
  }
}

extension Invocation {
  /// Saves and deletes subscriptions, and prints the results; one without an ID gets a generated one.
  func modifySubscriptions(
    save: [TidingsV1.Subscription] = [],
    delete: [String] = []
  ) async throws -> ExitCode {
    var modification = SubscriptionModification(
      databaseID: settings.databaseID,
      saves: save,
      deletes: delete
    )
    for index in save.indices where save[index].subscriptionID.isEmpty {
      modification.saves[index].subscriptionID = Self.randomID()
    }
    let results = try await modification.send(
      over: try await connect().transport,
      options: callOptions
    )
    return try SubscriptionResults.print(results, output)
  }

  private static func randomID() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return "s-" + String(repeating: "0", count: 16 - digits.count) + digits
  }
}
