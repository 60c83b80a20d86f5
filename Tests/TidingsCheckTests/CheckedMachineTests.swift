import CheckCore
import Foundation
import RandomSupport
import TestSupport
import Testing

/// A server on a network and a machine that misbehave, while it is checked.
@Suite(.endsServers) struct CheckedMachineTests {
  /// How far a check is.
  private struct Progress {
    fileprivate let counts = Observed<[WorkloadName: Int]>([:])
    fileprivate let isOver = Observed(false)
    var isDone: Bool { isOver.value }

    /// Waits until each workload has made some calls more.
    func waitForWork() async throws {
      let (before, isOver) = (counts.value, isOver)
      try await counts.wait("calls of all workloads") { counts in
        isOver.value
          || WorkloadName.allCases.allSatisfy {
            counts[$0, default: 0] > before[$0, default: 0] + 10
          }
      }
    }
  }

  /// Runs all workloads while something is done, and until it is done and each has made enough calls.
  @discardableResult
  private func check(
    _ settings: CheckSettings,
    while disturb: (Progress) async throws -> Void
  ) async throws -> CheckReport {
    var settings = settings
    let isDisturbed = Observed(true)
    let progress = Progress()
    settings.isInterrupted = { workload, callCount in
      progress.counts.update { $0[workload] = callCount }
      return !isDisturbed.value && callCount >= 100
    }
    let run = CheckRun(settings)
    async let report = {
      defer {
        progress.isOver.update { $0 = true }
        // Whoever waits for calls looks again.
        progress.counts.update { _ in }
      }
      return try await run.run()
    }()
    defer { isDisturbed.update { $0 = false } }
    try await disturb(progress)
    isDisturbed.update { $0 = false }
    let found = try await report
    #expect(found.isFine, "\(found.text)")
    print("CheckedMachineTests: \(found.text)")
    for row in found.rows { #expect(row.ok > 20, "\(row.line)") }
    return found
  }

  /// Waits until clients have given up these connections, because they were silent for too long.
  private func waitForEnd(
    of connections: Set<Int>,
    _ calls: CallProxy,
    _ progress: Progress
  ) async throws {
    #expect(!connections.isEmpty)
    try await waitUntil("clients to give up silent connections", pausing: .milliseconds(100)) {
      calls.openConnections.isDisjoint(with: connections) || progress.isDone
    }
    #expect(calls.openConnections.isDisjoint(with: connections), "a client did not notice")
  }

  @Test(
    "connections that are cut and late, and pushes that are lost, doubled and reordered, violate nothing"
  )
  func network() async throws {
    let seed = Seed.make("CheckedMachineTests.network")
    let pushes = try PushProxy(.init(lost: 6, doubled: 6, heldBack: 4), seed: seed &+ 1)
    let server = try await TestServer.start(arguments: ["--advertise-push", pushes.endpoint])
    pushes.connect(to: server.pushEndpoint)
    // A page of the log may have 100 kB, and never fits.
    let calls = try CallProxy(to: server.rpcEndpoint, cutWithin: 60_000, seed: seed &+ 2)
    calls.delay(upTo: .milliseconds(6))
    var settings = CheckSettings.underFaults([calls.endpoint], calls: 1_000, seed: seed)
    // If the last push is lost, an inbox looks at the log after a minute.
    settings.patience = .seconds(180)
    let end = settings.duration + .seconds(600)
    try await check(settings) { progress in
      try await waitUntil("the end of the check", pausing: .milliseconds(1_500), for: end) {
        pushes.disconnectSubscribers()
        return progress.isDone
      }
    }
    #expect(calls.cutCount > 3)
    #expect(pushes.counts.value.lost > 3)
  }

  /// TIDINGS_STOPPED_SECONDS: how long it stands still, if not until its clients give it up.
  @Test("a server that is stopped until its clients give it up, and continued, violates nothing")
  func stopped() async throws {
    let seed = Seed.make("CheckedMachineTests.stopped")
    let given = ProcessInfo.processInfo.environment["TIDINGS_STOPPED_SECONDS"].flatMap(Double.init)
    // After 10 s without a word a client asks, and 10 s later it makes another connection; calls end after 20 s.
    let isNoticed = given ?? 25 >= 25
    let server = try await TestServer.start()
    let calls = try CallProxy(to: server.rpcEndpoint)
    let settings = CheckSettings.underFaults([calls.endpoint], calls: 1_000_000, seed: seed)
    let rounds = Int(CheckSettings.secondsGiven / ((given ?? 25) + 8))
    let found = try await check(settings) { progress in
      for _ in 0..<max(1, rounds) where !progress.isDone {
        try await progress.waitForWork()
        let connections = calls.openConnections
        try server.process.pause()
        // The server stands still for as long as somebody wants.
        if let given { try await Task.sleep(for: .seconds(given)) }
        if isNoticed { try await waitForEnd(of: connections, calls, progress) }
        server.process.resume()
        try await progress.waitForWork()
      }
    }
    if isNoticed { #expect(found.rows.contains { $0.unknown > 0 }, "no call was under way") }
  }

  @Test("connections that stay open while answers vanish are given up, and violate nothing")
  func silence() async throws {
    let seed = Seed.make("CheckedMachineTests.silence")
    let server = try await TestServer.start()
    let calls = try CallProxy(to: server.rpcEndpoint)
    let settings = CheckSettings.underFaults([calls.endpoint], calls: 1_000_000, seed: seed)
    let rounds = Int(CheckSettings.secondsGiven / 30)
    let found = try await check(settings) { progress in
      for _ in 0..<max(1, rounds) where !progress.isDone {
        try await progress.waitForWork()
        let connections = calls.openConnections
        // The server does what it is asked, and nobody learns of it.
        calls.swallow(.toClients)
        try await waitForEnd(of: connections, calls, progress)
        calls.swallow([])
        try await progress.waitForWork()
      }
    }
    #expect(calls.swallowedBytes > 0)
    #expect(found.rows.contains { $0.unknown > 0 }, "no call was under way")
  }

  @Test("a time of day that jumps by a day, forward and back, violates nothing")
  func clock() async throws {
    let seed = Seed.make("CheckedMachineTests.clock")
    let clock = try ClockFault()
    let server = try await TestServer.start(environment: clock.environment)
    let settings = CheckSettings.underFaults([server.rpcEndpoint], calls: 1_000_000, seed: seed)
    try await check(settings) { progress in
      for days in [1, -1, 0, 1] where !progress.isDone {
        try await progress.waitForWork()
        try clock.setTimeOfDay(ahead: .seconds(days * 86_400))
      }
    }
  }
}
