internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsJSON
internal import TidingsProto

/// Nothing that is committed is lost, whoever is killed.
@Suite(.endsServers) struct DeliveryCrashTests {
  @Test("each notification arrives at least once across kill -9 of senders and the server")
  func killed() async throws {
    let seed = Seed.make("DeliveryCrashTests")
    var random = SplitMix64(seed: seed)
    // On a machine that is busy attempts end by their timeout, too: none may become a dead letter for that.
    let pauses = Array(repeating: "1", count: 100).joined(separator: ",")
    var world = try await DeliveryWorld.start(pauses: pauses, timeout: 2)
    try await world.addWebhook("/hook/a")
    try await world.addWebhook("/hook/fail/3")
    var second = try await world.startSender()
    for number in 0..<60 {
      try await world.save("h\(number)")
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        world.sender.send(9)
        try await world.sender.waitForExit()
        world.sender = try await world.startSender()
      case 1:
        second.send(9)
        try await second.waitForExit()
        second = try await world.startSender()
      case 2:
        try await world.server.crash()
        world.server = try await world.server.restarted()
      default: break
      }
    }
    let names = Set((0..<60).map { "h\($0)" })
    let paths = ["/hook/a", "/hook/fail/3"]
    try await world.receiver.seen.wait("all deliveries, seed \(seed)") { seen in
      paths.allSatisfy { path in
        // The first three of one were refused.
        let taken = seen.at(path).dropFirst(path == "/hook/a" ? 0 : 3)
        return names.isSubset(of: taken.compactMap(\.recordName))
      }
    }
    try await world.wait("all are settled, seed \(seed)") {
      try await $0.fetchDeliveryTargets(.init()).targets.allSatisfy {
        $0.waitingCount == 0 && $0.deadLetterCount == 0
      }
    }
  }
}
