internal import Foundation

/// Fetches subscriptions by their names, or all of the user's in a database.
open class CKFetchSubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// Which subscriptions; `nil`: all.
  open var subscriptionIDs: [CKSubscription.ID]?

  /// Called for each subscription.
  open var perSubscriptionResultBlock:
    ((CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)?
  /// Called at the end, with what was found, and the error.
  open var fetchSubscriptionCompletionBlock:
    (([CKSubscription.ID: CKSubscription]?, (any Error)?) -> Void)?
  /// Called at the end.
  open var fetchSubscriptionsResultBlock: ((Result<Void, any Error>) -> Void)?

  /// An operation to be set up.
  public required override init() { super.init() }

  /// An operation that fetches subscriptions.
  public convenience init(subscriptionIDs: [CKSubscription.ID]) {
    self.init()
    self.subscriptionIDs = subscriptionIDs
  }

  /// Fetches all subscriptions of the user in the database.
  public class func fetchAllSubscriptionsOperation() -> Self { Self() }

  override func perform() async {
    var found: [CKSubscription.ID: CKSubscription] = [:]
    var failed: [CKError.PartialError] = []
    var failure: CKError?
    do {
      let fetch = SubscriptionFetch(ids: subscriptionIDs)
      try await fetch.run(in: target, Patience(resolvedConfiguration)) { (id, result) in
        switch result {
        case .success(let subscription): found[id] = subscription
        case .failure(let error): failed.append(.init(id: .name(id), error: error))
        }
        deliver { [self] in perSubscriptionResultBlock?(id, result.mapError { $0 }) }
      }
    } catch {
      failure = CKError(wrapping: error)
    }
    let (all, error) = (found, failure ?? CKError.partial(failed))
    deliver { [self] in
      fetchSubscriptionCompletionBlock?(all, error)
      fetchSubscriptionsResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }
}
