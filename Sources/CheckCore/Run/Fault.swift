internal import Synchronization

/// Something that a run does wrong on purpose, on the side of the client, so that a checker must find it.
package enum Fault: String, CaseIterable, Sendable {
  /// Deletes an acknowledged insert, without a call in the history.
  case lostInsert = "lost-insert"
  /// Saves an element whose insert failed, without a call in the history.
  case phantomInsert = "phantom-insert"
  /// Answers a read with a version that was overwritten before.
  case staleRead = "stale-read"
  /// Reports a save that failed as ok.
  case failedAsOK = "failed-as-ok"
  /// Sends one of the two accounts of a transfer.
  case halfBatch = "half-batch"
  /// Ignores a page of a change feed.
  case skippedPage = "skipped-page"
  /// Swaps two notifications of a subscription.
  case reordered
  /// Delivers a notification again that was stored.
  case doubledNotification = "doubled-notification"
  /// Ignores a notification.
  case lostNotification = "lost-notification"
  /// Attributes a notification to a subscription that does not match.
  case wrongSubscription = "wrong-subscription"
  /// Settles a notification once more, with another lease.
  case settledTwice = "settled-twice"
  /// Gives what one worker has leased to another.
  case sharedLease = "shared-lease"

  /// The workload whose checker must find it.
  package var workload: WorkloadName {
    switch self {
    case .lostInsert, .phantomInsert: .set
    case .staleRead, .failedAsOK: .register
    case .halfBatch: .bank
    case .skippedPage: .append
    case .reordered, .doubledNotification, .lostNotification, .wrongSubscription: .subscriptions
    case .settledTwice, .sharedLease: .leases
    }
  }
}

/// Decides when a fault is committed: once, not at the first chance.
final class FaultPlan: Sendable {
  private static let chance = 3

  private let fault: Fault?
  private let chances = Atomic(0)
  private let isCommitted = Atomic(false)

  init(_ fault: Fault?) { self.fault = fault }

  /// Whether to do it now; asked only where it can be done.
  func isDue(_ candidate: Fault) -> Bool { isPlanned(candidate) && commit() }

  /// Whether to try it now, because it may fail; `commit` reports that it did not.
  func isPlanned(_ candidate: Fault) -> Bool {
    guard fault == candidate, !isCommitted.load(ordering: .relaxed) else { return false }
    return chances.add(1, ordering: .relaxed).newValue >= Self.chance
  }

  /// Notes that it is done.
  ///
  /// - Returns: Whether it was not before.
  @discardableResult
  func commit() -> Bool { !isCommitted.exchange(true, ordering: .relaxed) }
}
