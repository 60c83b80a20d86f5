internal import TidingsEngine

/// What a group came to: all that is to be told now that it is durable, and to whom.
struct CommittedGroup {
  /// Its calls, and what they left to be done.
  let calls: CallGroup
  /// What the store came to; `nil`: no call had needed it.
  let transaction: CommittedTransaction?

  init(_ calls: CallGroup) { (self.calls, transaction) = (calls, calls.transaction) }

  /// Topics on which nothing is to be published any more.
  var retiredTopics: [[UInt8]] {
    guard let transaction else { return calls.retiredTopics }
    return transaction.endedAccess.retiredTopics + calls.retiredTopics + transaction.retiredTopics
  }

  /// What counts now.
  var counters: CoreCounters {
    var counters = calls.counters
    counters.events = UInt64(transaction?.events.count ?? 0)
    if calls.hasWrites { counters.commits = 1 }
    return counters
  }
}
