internal import TidingsClient
internal import TidingsProto

/// A run: preparations, calls, final reads, and the verdict.
package struct CheckRun: Sendable {
  private let settings: CheckSettings

  package init(_ settings: CheckSettings) { self.settings = settings }

  /// Runs all workloads at the same time.
  ///
  /// - Returns: The report.
  /// - Throws: `RPCError` when no server can be called.
  package func run() async throws -> CheckReport {
    var random = SeededRandom(seed: settings.seed)
    var connections: [Client] = []
    for _ in 0..<max(2, settings.clients) {
      connections.append(try await Stage.connect(settings, &random))
    }
    // A wrong endpoint or key is reported at once; later, calls are repeated for some time.
    _ = try await connections[0].zones.fetchRecordZones(.init())
    let clock = ContinuousClock.now
    let runName = "check-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    var history = History(seed: settings.seed)
    let clients = connections
    await withTaskGroup(of: (WorkloadName, [Call], String?).self) { group in
      for name in settings.workloads {
        let choices = random.fork()
        group.addTask {
          let recorder = Recorder(since: clock)
          let stage = Stage(
            settings: settings,
            workload: name,
            recorder: recorder,
            faults: FaultPlan(settings.fault),
            connections: clients,
            runName: "\(runName)-\(name.rawValue)",
            deadline: .now + settings.duration
          )
          do {
            try await Self.run(name.make(stage), stage, choices)
            return (name, recorder.calls, nil)
          } catch {
            return (name, recorder.calls, "\(error)")
          }
        }
      }
      for await (name, calls, failure) in group {
        history.calls[name] = calls
        history.failures[name] = failure
      }
    }
    for connection in connections { await connection.close() }
    return CheckReport(history)
  }

  private static func run(
    _ workload: any Workload,
    _ stage: Stage,
    _ random: SeededRandom
  ) async throws {
    var random = random
    for zone in workload.zones { try await stage.createZone(zone) }
    var first = LogicalProcess(stage, index: -1, random.fork())
    try await workload.prepare(&first)
    try await withThrowingTaskGroup { group in
      for index in 0..<stage.settings.clients {
        let choices = random.fork()
        group.addTask {
          var process = LogicalProcess(stage, index: index, choices)
          try await workload.run(&process)
        }
      }
      try await group.waitForAll()
    }
    var last = LogicalProcess(stage, index: -1, random.fork())
    try await workload.finish(&last)
    await workload.clear()
    await stage.deleteZones(workload.zones)
  }
}
