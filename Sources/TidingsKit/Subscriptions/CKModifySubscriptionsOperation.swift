internal import Foundation

/// Saves and deletes subscriptions.
open class CKModifySubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// Subscriptions to save.
  open var subscriptionsToSave: [CKSubscription]?
  /// Subscriptions to delete.
  open var subscriptionIDsToDelete: [CKSubscription.ID]?

  /// Called for each subscription to save.
  open var perSubscriptionSaveBlock:
    ((CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)?
  /// Called for each subscription to delete.
  open var perSubscriptionDeleteBlock: ((CKSubscription.ID, Result<Void, any Error>) -> Void)?
  /// Called at the end, with what was saved, what was deleted, and the error.
  open var modifySubscriptionsCompletionBlock:
    (([CKSubscription]?, [CKSubscription.ID]?, (any Error)?) -> Void)?
  /// Called at the end.
  open var modifySubscriptionsResultBlock: ((Result<Void, any Error>) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that saves and deletes.
  public convenience init(
    subscriptionsToSave: [CKSubscription]? = nil,
    subscriptionIDsToDelete: [CKSubscription.ID]? = nil
  ) {
    self.init()
    self.subscriptionsToSave = subscriptionsToSave
    self.subscriptionIDsToDelete = subscriptionIDsToDelete
  }

  override func perform() async {
    let modification = SubscriptionModification(
      saving: subscriptionsToSave ?? [],
      deleting: subscriptionIDsToDelete ?? []
    )
    let outcome = await modification.run(in: target, Patience(resolvedConfiguration)) {
      [self] event in
      deliver { [self] in report(event) }
    }
    deliver { [self] in
      modifySubscriptionsCompletionBlock?(outcome.saved, outcome.deleted, outcome.error)
      modifySubscriptionsResultBlock?(outcome.error.map { .failure($0) } ?? .success(()))
    }
  }

  private func report(_ event: SubscriptionModification.Event) {
    switch event {
    case .saved(let subscription, let error):
      let result = error.map { .failure($0) } ?? Result<_, any Error>.success(subscription)
      perSubscriptionSaveBlock?(subscription.subscriptionID, result)
    case .deleted(let id, let error):
      perSubscriptionDeleteBlock?(id, error.map { .failure($0) } ?? .success(()))
    }
  }
}
