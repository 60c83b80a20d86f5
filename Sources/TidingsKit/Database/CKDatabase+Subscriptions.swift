internal import Foundation

/// Subscriptions without operations: for code that waits.
///
/// What takes one subscription throws that subscription's own error.
extension CKDatabase {
  /// Saves a subscription; one of the same name is replaced.
  ///
  /// - Throws: `serverRejectedRequest` when an equivalent one has another name.
  @discardableResult
  public func save(_ subscription: CKSubscription) async throws -> CKSubscription {
    let results = try await modifySubscriptions(saving: [subscription], deleting: [])
    return try single(results.saveResults[subscription.subscriptionID])
  }

  /// Fetches a subscription.
  ///
  /// - Throws: `unknownItem`.
  public func subscription(
    for subscriptionID: CKSubscription.ID
  ) async throws -> CKSubscription {
    try single(await subscriptions(for: [subscriptionID])[subscriptionID])
  }

  /// Fetches all subscriptions of the user in this database, by their names.
  @discardableResult
  public func allSubscriptions() async throws -> [CKSubscription] {
    var all: [CKSubscription] = []
    try await SubscriptionFetch(ids: nil).run(in: self, patience) { event in
      if let subscription = event.result.success { all.append(subscription) }
    }
    return all
  }

  /// Deletes a subscription.
  ///
  /// - Throws: `unknownItem`.
  @discardableResult
  public func deleteSubscription(
    withID subscriptionID: CKSubscription.ID
  ) async throws -> CKSubscription.ID {
    let results = try await modifySubscriptions(saving: [], deleting: [subscriptionID])
    try single(results.deleteResults[subscriptionID])
    return subscriptionID
  }

  /// Fetches subscriptions.
  ///
  /// - Returns: What became of each.
  /// - Throws: What let all of them fail.
  public func subscriptions(
    for ids: [CKSubscription.ID]
  ) async throws -> [CKSubscription.ID: Result<CKSubscription, any Error>] {
    var results: [CKSubscription.ID: Result<CKSubscription, any Error>] = [:]
    try await SubscriptionFetch(ids: ids).run(in: self, patience) { event in
      results[event.id] = event.result.mapError { $0 }
    }
    return results
  }

  /// Saves and deletes subscriptions.
  ///
  /// - Returns: What became of each.
  /// - Throws: What let all of them fail.
  public func modifySubscriptions(
    saving subscriptionsToSave: [CKSubscription],
    deleting subscriptionIDsToDelete: [CKSubscription.ID]
  ) async throws -> (
    saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
    deleteResults: [CKSubscription.ID: Result<Void, any Error>]
  ) {
    var saves: [CKSubscription.ID: Result<CKSubscription, any Error>] = [:]
    var deletions: [CKSubscription.ID: Result<Void, any Error>] = [:]
    let modification = SubscriptionModification(
      saving: subscriptionsToSave,
      deleting: subscriptionIDsToDelete
    )
    let outcome = await modification.run(in: self, patience) { event in
      switch event {
      case .saved(let subscription, let error):
        saves[subscription.subscriptionID] = error.map { .failure($0) } ?? .success(subscription)
      case .deleted(let id, let error):
        deletions[id] = error.map { .failure($0) } ?? .success(())
      }
    }
    if let failure = outcome.whollyFailed { throw failure }
    return (saves, deletions)
  }
}
