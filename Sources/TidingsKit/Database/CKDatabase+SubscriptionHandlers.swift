/// Subscriptions without operations: for code that is called back.
///
/// Each handler is called once, on a queue of the library's.
extension CKDatabase {
  /// Saves a subscription; one of the same name is replaced.
  @preconcurrency
  public func save(
    _ subscription: CKSubscription,
    completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.save(subscription)
    } then: {
      completionHandler($0.success, $0.failure)
    }
  }

  /// Fetches a subscription.
  @preconcurrency
  public func fetch(
    withSubscriptionID subscriptionID: CKSubscription.ID,
    completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.subscription(for: subscriptionID)
    } then: {
      completionHandler($0.success, $0.failure)
    }
  }

  /// Fetches all subscriptions of the user in this database, by their names.
  @preconcurrency
  public func fetchAllSubscriptions(
    completionHandler: @escaping @Sendable ([CKSubscription]?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.allSubscriptions()
    } then: {
      completionHandler($0.success, $0.failure)
    }
  }

  /// Deletes a subscription.
  @preconcurrency
  public func delete(
    withSubscriptionID subscriptionID: CKSubscription.ID,
    completionHandler: @escaping @Sendable (CKSubscription.ID?, (any Error)?) -> Void
  ) {
    Callback.run {
      try await self.deleteSubscription(withID: subscriptionID)
    } then: {
      completionHandler($0.success, $0.failure)
    }
  }

  /// Fetches subscriptions; returns the result of each, or the error that made all of them fail.
  @preconcurrency
  public func fetch(
    withSubscriptionIDs subscriptionIDs: [CKSubscription.ID],
    completionHandler:
      @escaping @Sendable (
        Result<[CKSubscription.ID: Result<CKSubscription, any Error>], any Error>
      ) -> Void
  ) {
    Callback.run {
      try await self.subscriptions(for: subscriptionIDs)
    } then: {
      completionHandler($0)
    }
  }

  /// Saves and deletes subscriptions; returns the result of each, or the error that made all of them fail.
  @preconcurrency
  public func modifySubscriptions(
    saving subscriptionsToSave: [CKSubscription],
    deleting subscriptionIDsToDelete: [CKSubscription.ID],
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
            deleteResults: [CKSubscription.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) {
    Callback.run {
      try await self.modifySubscriptions(
        saving: subscriptionsToSave,
        deleting: subscriptionIDsToDelete
      )
    } then: {
      completionHandler($0)
    }
  }
}
