internal import TidingsClient
internal import TidingsProto

/// Subscriptions to fetch: some, or all of the user's in a database.
struct SubscriptionFetch: Sendable {
  /// `nil`: all.
  var ids: [CKSubscription.ID]?

  /// What became of one.
  typealias Event = (id: CKSubscription.ID, result: Result<CKSubscription, CKError>)

  /// Fetches; reports each subscription once.
  ///
  /// - Throws: What let all of them fail.
  func run(
    in database: CKDatabase,
    _ patience: Patience,
    _ tell: (Event) -> Void
  ) async throws {
    // To the server, no ids mean all.
    let wanted = ids ?? []
    if ids != nil, wanted.isEmpty { return }
    let most = RecordModification.itemsPerCallMax
    for start in stride(from: 0, to: max(wanted.count, 1), by: most) {
      let request = TidingsV1.FetchSubscriptionsRequest(
        databaseID: database.databaseID,
        subscriptionIDs: Array(wanted[start..<min(start + most, wanted.count)])
      )
      let response = try await database.call(patience) { (client, options) in
        try await client.subscriptions.fetchSubscriptions(request, options: options)
      }
      for result in response.results {
        if let event = Self.event(result, isExpected: ids != nil) { tell(event) }
      }
    }
  }

  /// - Returns: `nil` for a kind that this version does not know, if it was not asked for by name.
  private static func event(_ result: TidingsV1.SubscriptionResult, isExpected: Bool) -> Event? {
    let id = result.subscriptionID
    switch result.outcome {
    case .subscription(let wire)?:
      if let subscription = CKSubscription.from(wire) {
        return (wire.subscriptionID, .success(subscription))
      }
      let error = CKError(.incompatibleVersion, "this version does not know such subscriptions")
      return isExpected ? (id, .failure(error)) : nil
    case .error(let error)?: return (id, .failure(CKError(error)))
    default: return (id, .failure(CKError(.internalError, "the server's answer is empty")))
    }
  }
}
