/// What a run did: the calls of each workload, and what they are to be judged by.
package struct History: Hashable, Sendable {
  /// Repeats the choices of the run.
  package var seed: UInt64
  /// By workload, in the order in which the calls ended.
  package var calls: [WorkloadName: [Call]]
  /// Why a workload ended early, without its final reads.
  package var failures: [WorkloadName: String] = [:]

  package init(seed: UInt64, calls: [WorkloadName: [Call]] = [:]) {
    self.seed = seed
    self.calls = calls
  }
}

/// The workloads.
package enum WorkloadName: String, CaseIterable, Sendable {
  /// Records, each a register that several processes read and write.
  case register
  /// Inserts into sets.
  case set
  /// Transfers between accounts, in atomic batches.
  case bank
  /// Copies made from change feeds.
  case append
  /// The log and an inbox of notifications.
  case subscriptions
  /// A group of workers that leases notifications.
  case leases

  /// Decides a history of this workload.
  package func violations(in calls: [Call]) -> [Violation] {
    switch self {
    case .register: RegisterCheck(calls).violations()
    case .set: SetCheck(calls).violations()
    case .bank: BankCheck(calls).violations()
    case .append: FeedCheck(calls).violations()
    case .subscriptions: SubscriptionCheck(calls).violations()
    case .leases: LeaseCheck(calls).violations()
    }
  }
}
