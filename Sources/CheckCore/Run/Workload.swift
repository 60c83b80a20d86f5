/// A kind of calls, with what they begin and end with.
protocol Workload: Sendable {
  init(_ stage: Stage)

  /// The zones of the workload, which are created before it and removed after it.
  var zones: [String] { get }

  /// Makes what the processes need.
  func prepare(_ process: inout LogicalProcess) async throws

  /// Makes calls while the stage is open.
  func run(_ process: inout LogicalProcess) async throws

  /// Makes the final reads, when all processes have ended.
  func finish(_ process: inout LogicalProcess) async throws

  /// Removes what is not in a zone.
  func clear() async
}

extension Workload {
  func prepare(_ process: inout LogicalProcess) async throws {}
  func clear() async {}
}

extension WorkloadName {
  func make(_ stage: Stage) -> any Workload {
    switch self {
    case .register: RegisterWorkload(stage)
    case .set: SetWorkload(stage)
    case .bank: BankWorkload(stage)
    case .append: AppendWorkload(stage)
    case .subscriptions: SubscriptionWorkload(stage)
    case .leases: LeaseWorkload(stage)
    }
  }
}
