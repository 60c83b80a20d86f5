import CheckCore
import Foundation
import RandomSupport
import TestSupport
import Testing

/// A server on a network and a machine that misbehave, while it is checked.
@Suite(.endsServers) struct CheckedMachineTests {
  /// Runs all workloads while something is done, and until it is done.
  @discardableResult
  private func check(
    _ settings: CheckSettings,
    while disturb: (Observed<Bool>) async throws -> Void
  ) async throws -> CheckReport {
    var settings = settings
    let isDisturbed = Observed(true)
    settings.isInterrupted = { !isDisturbed.value }
    let run = CheckRun(settings)
    let isDone = Observed(false)
    async let report = {
      defer { isDone.update { $0 = true } }
      return try await run.run()
    }()
    defer { isDisturbed.update { $0 = false } }
    try await disturb(isDone)
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
    _ isDone: Observed<Bool>
  ) async throws {
    #expect(!connections.isEmpty)
    try await waitUntil("clients to give up silent connections", pausing: .milliseconds(100)) {
      calls.openConnections.isDisjoint(with: connections) || isDone.value
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
    try await check(settings) { isDone in
      try await waitUntil("the end of the check", pausing: .milliseconds(1_500), for: end) {
        pushes.disconnectSubscribers()
        return isDone.value
      }
    }
    #expect(calls.cutCount > 3)
    #expect(pushes.counts.value.lost > 3)
  }

  /// TIDINGS_STOPPED_SECONDS: how long it stands still.
  @Test("a server that is stopped until its clients give it up, and continued, violates nothing")
  func stopped() async throws {
    let seed = Seed.make("CheckedMachineTests.stopped")
    let given = ProcessInfo.processInfo.environment["TIDINGS_STOPPED_SECONDS"].flatMap(Double.init)
    let seconds = given ?? 30
    // After 10 s without a word a client asks, and 10 s later it makes another connection; calls end after 20 s.
    let isNoticed = seconds >= 25
    let server = try await TestServer.start()
    let calls = try CallProxy(to: server.rpcEndpoint)
    let settings = CheckSettings.underFaults([calls.endpoint], calls: 1_000_000, seed: seed)
    let rounds = Int(CheckSettings.secondsGiven / (seconds + 8))
    let found = try await check(settings) { isDone in
      for _ in 0..<max(1, rounds) where !isDone.value {
        // Time in which the workloads do something, and calls are under way.
        try await Task.sleep(for: .seconds(2))
        let connections = calls.openConnections
        try server.process.pause()
        // The server stands still for so long.
        try await Task.sleep(for: .seconds(seconds))
        if isNoticed { try await waitForEnd(of: connections, calls, isDone) }
        server.process.resume()
        // Time in which the workloads do something before the next stop.
        try await Task.sleep(for: .seconds(2))
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
    let found = try await check(settings) { isDone in
      for _ in 0..<max(1, rounds) where !isDone.value {
        // Time in which the workloads do something, and calls are under way.
        try await Task.sleep(for: .seconds(2))
        let connections = calls.openConnections
        // The server does what it is asked, and nobody learns of it.
        calls.swallow(.toClients)
        try await waitForEnd(of: connections, calls, isDone)
        calls.swallow([])
        // Time in which the workloads do something before the next silence.
        try await Task.sleep(for: .seconds(2))
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
    try await check(settings) { isDone in
      for days in [1, -1, 0, 1] where !isDone.value {
        // Time in which the workloads do something before the clock is set.
        try await Task.sleep(for: .seconds(1))
        try clock.setTimeOfDay(ahead: .seconds(days * 86_400))
      }
    }
  }
}
