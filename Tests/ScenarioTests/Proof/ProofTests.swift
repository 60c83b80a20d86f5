internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto

/// Many users, devices, subscriptions and writers at once, while pushes are lost, connections cut and
/// the server killed: every device has processed exactly what it must, in order, and nothing twice, and
/// groups of workers have done all there was to do.
///
/// It is one round. `TIDINGS_PROOF_SECONDS` makes it go on with ever new seeds for that long, `TIDINGS_PROOF_SEED` takes the choices of a seed again; what runs at once need not meet in the same way again.
@Suite(.endsServers) struct ProofTests {
  private static let callsPerWriter = 120
  private static let killCount = 8

  @Test("nothing is missed, doubled or out of order")
  func nothingIsMissed() async throws {
    let settings = ProcessInfo.processInfo.environment
    let seconds = settings["TIDINGS_PROOF_SECONDS"].flatMap(Int.init)
    let given = settings["TIDINGS_PROOF_SEED"].flatMap(UInt64.init)
    let end = ContinuousClock.now + .seconds(seconds ?? 0)
    var round = 0
    repeat {
      let seed = given ?? UInt64.random(in: 1...UInt64.max)
      let begin = ContinuousClock.now
      let (summary, differences) = try await prove(seed)
      round += 1
      print("proof \(round), seed \(seed): \(summary), \(begin.duration(to: .now))")
      guard differences.isEmpty else {
        Issue.record(
          """
          \(differences.prefix(5).joined(separator: "\n"))
          \(differences.count) differences with seed \(seed); again with:
          TIDINGS_PROOF_SEED=\(seed) tools/test --filter ProofTests
          """
        )
        return
      }
    } while .now < end
  }

  /// - Returns: What was done, for people, and what is wrong.
  private func prove(_ seed: UInt64) async throws -> (summary: String, differences: [String]) {
    var random = SplitMix64(seed: seed)
    let world = try await ProofWorld(seed: random.next())
    let devices = ProofWorld.users.flatMap { user in
      (0..<random.pick([2, ProofDevice.countMax])).map {
        ProofDevice(
          user: user,
          number: $0,
          random.pick([.token, .file, .file, .position, .position])
        )
      }
    }
    for device in devices { try await device.begin(in: world) }
    let readers = devices.map { device in
      let random = random.fork()
      return Task { try await device.run(in: world, random) }
    }
    let groups = ProofWorld.users.prefix(2).map { ProofGroup(user: $0) }
    let workers = groups.flatMap { group in
      (0..<random.pick([2, ProofGroup.workersMax])).map { number in
        let random = random.fork()
        return Task { try await group.run(worker: number, in: world, random) }
      }
    }
    let subscribers = ProofWorld.users.map { user in
      var subscriber = ProofSubscriber(user: user, random: random.fork())
      return Task { try await subscriber.run(in: world) }
    }
    let writers = ProofWorld.users.flatMap { user in
      (0..<2).map { index in
        // Some write as a device that listens too.
        let device = random.pick(["", "device-0", "device-1", "writer"])
        let number = index + 2 * (ProofWorld.users.firstIndex(of: user) ?? 0)
        return ProofWriter(.init(user, device), number: number, random.fork())
      }
    }.map { writer in
      var writer = writer
      return Task { try await writer.run(Self.callsPerWriter, in: world) }
    }
    for _ in 0..<Self.killCount {
      try await world.waitForDeeds(
        random.below(Self.callsPerWriter * writers.count / Self.killCount)
      )
      try await world.crash(isNoticed: random.oneIn(2))
    }
    for writer in writers { try await writer.value }
    await world.calm()
    for subscriber in subscribers { try await subscriber.value }

    let model = ProofModel(world.ledger.value)
    var differences = model.complaints
    for (user, ids) in world.unknown.value {
      let strangers = ids.subtracting(model.strays[user, default: []])
      if !strangers.isEmpty { differences.append("\(user) was notified of \(strangers)") }
    }
    for user in ProofWorld.users {
      differences += try await logDifferences(of: user, model, world, UInt32(1 + random.below(50)))
    }
    // A stream cannot be right when the log is not.
    if differences.isEmpty {
      // Once one has not got all, the others are not waited for.
      for device in devices {
        differences += try await drained(device, model, world, waits: differences.isEmpty)
      }
      for group in groups {
        let marks = Set(world.marks.value[group.user, default: [:]].keys)
        let waits = differences.isEmpty
        differences += try await group.differences(model, marks: marks, waits: waits)
      }
    }
    for task in readers + workers { task.cancel() }
    for task in readers + workers { try await task.value }
    let counts = world.pushes.counts.value
    #expect(counts.lost > 0 && counts.doubled > 0 && counts.heldBack > 0, "\(counts)")
    #expect(world.calls.cutCount > 0)
    let summary = summary(world, model, devices) + "; " + summary(groups)
    try await world.end()
    return (summary, differences)
  }

  /// Compares the log, as one sees it who caused nothing.
  private func logDifferences(
    of user: String,
    _ model: ProofModel,
    _ world: ProofWorld,
    _ pageLimit: UInt32
  ) async throws -> [String] {
    let caller = Oracle.Caller(user, "")
    let client = try await world.client(caller)
    let log = try await world.insist { try await client.feed(pageLimit: pageLimit) }.notifications
    await client.close()
    let marks = world.marks.value[user, default: [:]]
    let comparison = ProofComparison(model, caller, marks: marks)
    return comparison.channelDifferences(log) + [comparison.disorder(log)].compactMap(\.self)
  }

  /// Waits until a device has all that it must have, and compares.
  private func drained(
    _ device: ProofDevice,
    _ model: ProofModel,
    _ world: ProofWorld,
    waits: Bool
  ) async throws -> [String] {
    let marks = world.marks.value[device.caller.user, default: [:]]
    let comparison = ProofComparison(model, device.caller, marks: marks)
    let lastKeys = comparison.lastKeys
    let state = try await device.state.waitWhileMoving(waits, progress: \.committed.count) {
      let processed = $0.processed
      return !$0.complaints.isEmpty || comparison.hasPassedOver(processed)
        || (lastKeys.isSubset(of: processed.map(ProofKey.init)) && comparison.hasMarks(processed))
    }
    let complaints = state.complaints.map { "\(device.caller): \($0)" }
    return (complaints + comparison.differences(state.processed)).map {
      "a device with a \(device.keeping.rawValue), \($0)"
    }
  }

  private func summary(
    _ world: ProofWorld,
    _ model: ProofModel,
    _ devices: [ProofDevice]
  ) -> String {
    let counts = world.pushes.counts.value
    let events = model.expected.values.map(\.count).reduce(0, +)
    let marks = world.marks.value.values.map(\.count).reduce(0, +)
    let strays = devices.flatMap { device in
      device.state.value.processed.filter {
        model.strays[device.caller.user, default: []].contains(ProofKey($0).description)
      }
    }.count
    let sessions = devices.map { $0.state.value.sessionCount }.reduce(0, +)
    let processed = devices.map { $0.state.value.processed.count }.reduce(0, +)
    return
      "\(world.ledger.value.count) deeds, \(marks) marks, \(events) notifications, \(devices.count) devices "
      + "in \(sessions) sessions processed \(processed), \(strays) strays; of \(counts.published) pushes \(counts.lost) "
      + "lost, \(counts.doubled) doubled, \(counts.heldBack) held back; \(world.calls.cutCount) "
      + "connections cut, \(Self.killCount) kills"
  }

  private func summary(_ groups: [ProofGroup]) -> String {
    let states = groups.map(\.state.value)
    return "\(groups.count) work groups did \(states.map(\.done.count).reduce(0, +)) in "
      + "\(states.map(\.deliveryCount).reduce(0, +)) deliveries, "
      + "\(states.map(\.lostCount).reduce(0, +)) leases lost, "
      + "\(states.map(\.uncertain.count).reduce(0, +)) uncertain, "
      + "\(states.map(\.crashCount).reduce(0, +)) crashes"
  }
}
