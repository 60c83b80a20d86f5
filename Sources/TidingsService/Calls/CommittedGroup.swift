internal import TidingsEngine

/// A durable group: all answers, notifications and other effects that follow from its commit.
struct CommittedGroup {
  /// Its calls, and what must be done for them.
  let calls: CallGroup
  /// The effects on the store; `nil` if no call used it.
  let transaction: CommittedTransaction?

  init(_ calls: CallGroup) { (self.calls, transaction) = (calls, calls.transaction) }

  /// Topics on which nothing is published any more.
  var retiredTopics: [[UInt8]] {
    guard let transaction else { return calls.effects.retiredTopics }
    return transaction.endedAccess.retiredTopics + calls.effects.retiredTopics
      + transaction.retiredTopics
  }

  /// The counters of the group.
  var counters: CoreCounters {
    var counters = calls.effects.counters
    counters.events = UInt64(transaction?.events.count ?? 0)
    if calls.mayHaveWritten { counters.commits = 1 }
    return counters
  }
}
