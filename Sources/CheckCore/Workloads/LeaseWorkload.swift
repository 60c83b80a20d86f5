internal import Synchronization
internal import TidingsClient
internal import TidingsProto

/// Processes that save jobs, and workers of a group that lease their notifications and settle them: at once, after an
/// extension, too late, or not at all.
final class LeaseWorkload: Workload {
  /// Most jobs that wait.
  private static let openMax = 30
  private static let producerCount = 1

  private let stage: Stage
  private let subscriptions: Subscriptions
  private let group: WorkGroup
  private let jobs = Mutex(Jobs())

  private struct Jobs {
    /// Acknowledged, and not done.
    var open: Set<String> = []
    /// Done before the answer to the save was there.
    var early: Set<String> = []

    mutating func add(_ name: String) {
      if early.remove(name) == nil { open.insert(name) }
    }

    mutating func remove(_ name: String) {
      if open.remove(name) == nil { early.insert(name) }
    }
  }

  init(_ stage: Stage) {
    self.stage = stage
    subscriptions = Subscriptions(stage: stage, zone: stage.runName, type: "CheckJob")
    group = WorkGroup(stage, subscription: stage.runName + "-jobs")
  }

  var zones: [String] { [stage.runName] }

  func prepare(_ process: inout LogicalProcess) async throws {
    try await group.create()
    try await subscriptions.teach()
    try await subscriptions.save(group.subscription, Rule(0..<100, ["created"]), &process)
  }

  func run(_ process: inout LogicalProcess) async throws {
    if process.index < Self.producerCount {
      var writer = RecordWriter(stage, zone: stage.runName, type: subscriptions.type)
      while stage.isOpen {
        guard jobs.withLock(\.open.count) < Self.openMax else {
          try await process.pause(20)
          continue
        }
        let name = "j\(stage.recorder.newValue())"
        let call = try await writer.create(name, number: 0, &process)
        if call.outcome == .ok { jobs.withLock { $0.add(name) } }
      }
    } else {
      let client = try await stage.connect(device: "check-worker-\(process.index)", &process.random)
      while stage.isOpen { try await work(client, &process, carefully: false) }
      await client.close()
    }
  }

  /// Works until everything is done, and nothing is left out any more.
  func finish(_ process: inout LogicalProcess) async throws {
    var patience = Patience(stage.settings.patience)
    let client = try await stage.connect(device: "check-worker-last", &process.random)
    var isEmpty = false
    while !isEmpty, !patience.isOver {
      let leased = try await work(client, &process, carefully: true)
      if !leased.notices.isEmpty { patience.renew() }
      isEmpty = leased.outcome == .ok && leased.isLast
    }
    await client.close()
    if !isEmpty {
      throw CheckError("the group was not emptied: no progress for \(stage.settings.patience)")
    }
  }

  func clear() async { await subscriptions.delete([group.subscription]) }

  /// Leases some notifications and works on them.
  ///
  /// - Returns: The lease.
  @discardableResult
  private func work(
    _ client: Client,
    _ process: inout LogicalProcess,
    carefully: Bool
  ) async throws -> Call {
    let leased = try await group.lease(client, &process)
    for notice in leased.notices {
      try await work(on: notice, leased, client, &process, carefully)
    }
    if leased.notices.isEmpty { try await process.pause(carefully ? 100 : 30) }
    return leased
  }

  private func work(
    on notice: Notice,
    _ leased: Call,
    _ client: Client,
    _ process: inout LogicalProcess,
    _ carefully: Bool
  ) async throws {
    let fate = carefully ? 100 : process.random.below(100)
    switch fate {
    // As if the worker had crashed.
    case 0..<8: return
    case 8..<18:
      try await group.settle(notice, Call.released, client, &process)
      return
    case 18..<26: try await group.settle(notice, Call.extended, client, &process)
    case 26..<29: try await Task.sleep(for: .milliseconds(leased.milliseconds))
    default: break
    }
    let settled = try await group.settle(notice, Call.done, client, &process)
    if settled.outcome != .failed { jobs.withLock { $0.remove(notice.record) } }
  }
}
