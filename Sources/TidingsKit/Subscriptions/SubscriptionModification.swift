internal import Foundation
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Subscriptions to save and to delete: sent in as many calls as it takes.
struct SubscriptionModification: Sendable {
  var saving: [CKSubscription]
  var deleting: [CKSubscription.ID]

  /// What became of one item.
  enum Event: Sendable {
    case saved(CKSubscription, CKError?)
    case deleted(CKSubscription.ID, CKError?)
  }

  /// What became of all.
  struct Outcome: Sendable {
    var saved: [CKSubscription] = []
    var deleted: [CKSubscription.ID] = []
    var failed: [CKError.PartialError] = []
    /// Why calls failed as wholes.
    var failure: CKError?

    var error: CKError? { failure ?? .partial(failed) }
    /// Nothing was done, for one reason.
    var whollyFailed: CKError? { saved.isEmpty && deleted.isEmpty ? failure : nil }

    mutating func note(_ event: Event) {
      switch event {
      case .saved(let subscription, nil): saved.append(subscription)
      case .saved(let subscription, let error?):
        failed.append(.init(id: .name(subscription.subscriptionID), error: error))
      case .deleted(let id, nil): deleted.append(id)
      case .deleted(let id, let error?): failed.append(.init(id: .name(id), error: error))
      }
    }
  }

  /// Saves and deletes; reports each item once.
  func run(
    in database: CKDatabase,
    _ patience: Patience,
    _ tell: (Event) -> Void
  ) async -> Outcome {
    var outcome = Outcome()
    func note(_ event: Event) {
      outcome.note(event)
      tell(event)
    }
    var sendable: [(CKSubscription, TidingsV1.Subscription)] = []
    for subscription in saving {
      do {
        sendable.append((subscription, try subscription.wire()))
      } catch {
        note(.saved(subscription, CKError(wrapping: error)))
      }
    }
    for part in Self.parts(sendable.count, deleting.count) {
      let (saves, deletions) = (sendable[part.saves], deleting[part.deletions])
      let request = TidingsV1.ModifySubscriptionsRequest(
        databaseID: database.databaseID,
        subscriptionsToSave: saves.map(\.1),
        subscriptionIDsToDelete: Array(deletions)
      )
      var answers: [TidingsV1.SubscriptionResult] = []
      var failure: CKError?
      do {
        let key = CallOptions.newIdempotencyKey()
        answers = try await database.call(patience, idempotencyKey: key) { (client, options) in
          try await client.subscriptions.modifySubscriptions(request, options: options)
        }.results
      } catch {
        failure = CKError(wrapping: error)
        outcome.failure = outcome.failure ?? failure
      }
      for (index, save) in saves.enumerated() {
        note(.saved(save.0, failure ?? Self.error(answers, index)))
      }
      for (index, id) in deletions.enumerated() {
        note(.deleted(id, failure ?? Self.error(answers, saves.count + index)))
      }
    }
    return outcome
  }

  private static func error(_ answers: [TidingsV1.SubscriptionResult], _ index: Int) -> CKError? {
    guard index < answers.count else {
      return CKError(.internalError, "the server's answer does not include this subscription")
    }
    if case .error(let error)? = answers[index].outcome { return CKError(error) }
    return nil
  }

  /// The items of each call: first the saves, then the deletions.
  static func parts(
    _ saves: Int,
    _ deletions: Int
  ) -> [(saves: Range<Int>, deletions: Range<Int>)] {
    let most = RecordModification.itemsPerCallMax
    return stride(from: 0, to: saves + deletions, by: most).map { start in
      let end = min(start + most, saves + deletions)
      return (
        min(start, saves)..<min(end, saves),
        (max(start, saves) - saves)..<(max(end, saves) - saves)
      )
    }
  }
}
