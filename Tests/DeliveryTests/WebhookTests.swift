internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// Webhooks as a receiver sees them.
@Suite(.endsServers) struct WebhookTests {
  @Test("a delivery is signed, and tried again with the same ID until it is taken")
  func signedAndRetried() async throws {
    let world = try await DeliveryWorld.start()
    try await world.addWebhook("/hook/fail/2")
    try await world.save("h1")
    let seen = try await world.receiver.seen.wait("three attempts") {
      $0.at("/hook/fail/2").count == 3
    }
    let entries = seen.at("/hook/fail/2")
    #expect(Set(entries.map { $0.header("webhook-id") }).count == 1)
    #expect(entries.allSatisfy { $0["signedBy"] == .array([.integer(0)]) }, "\(entries)")
    #expect(entries.allSatisfy { $0.recordName == "h1" })
    try await world.wait("it is settled") { service in
      let target = try await service.fetchDeliveryTargets(.init()).targets.first
      return target?.waitingCount == 0 && target?.failingSince == nil
    }
  }

  @Test("changes of the target's own device, and those before it was added, are not sent")
  func ownChanges() async throws {
    let world = try await DeliveryWorld.start()
    try await world.save("before")
    try await world.addWebhook("/hook/a", "phone")
    try await world.save("own", "phone")
    try await world.save("other", "laptop")
    let seen = try await world.receiver.seen.wait("a delivery") { !$0.at("/hook/a").isEmpty }
    #expect(seen.at("/hook/a").map(\.recordName) == ["other"])
    try await world.wait("nothing waits") {
      try await $0.fetchDeliveryTargets(.init()).targets.first?.waitingCount == 0
    }
    #expect(world.receiver.seen.value.at("/hook/a").count == 1)
  }

  @Test("a replaced secret signs beside the new one")
  func rotation() async throws {
    let world = try await DeliveryWorld.start()
    let first = try await world.addWebhook("/hook/a", secret: 0)
    let second = try await world.addWebhook("/hook/a", secret: 1)
    #expect(first == second)
    try await world.save("h1")
    let seen = try await world.receiver.seen.wait("a delivery") { !$0.at("/hook/a").isEmpty }
    #expect(seen.at("/hook/a").first?["signedBy"] == .array([.integer(0), .integer(1)]))
    let shown = try await world.targets()
    #expect(shown.count == 1)
    #expect(shown.first?.address?.kind == .webhook(.init(url: world.receiver.url("/hook/a"))))
  }

  @Test("what fails for good is a dead letter that can be read and sent again")
  func deadLetters() async throws {
    let world = try await DeliveryWorld.start(pauses: "1")
    try await world.addWebhook("/hook/fail/2")
    try await world.save("h1")
    try await world.wait("a dead letter") {
      try await $0.fetchDeadLetters(.init()).deadLetters.count == 1
    }
    let service = try await world.service()
    let letter = try #require(try await service.fetchDeadLetters(.init()).deadLetters.first)
    #expect(letter.attemptCount == 2)
    #expect(letter.reason == "status 500: not yet")
    #expect(letter.notification?.recordID?.recordName == "h1")
    let foreign = TidingsV1.DeliveryService.Client(
      try await world.server.client(as: "eve", device: "x").transport
    )
    let refused = try await foreign.resendDeadLetters(
      .init(deadLetterIDs: [letter.deadLetterID])
    )
    guard case .error(let error)? = refused.results.first?.outcome else {
      throw WaitingFailure(description: "eve sent it again")
    }
    #expect(error.code == .unknownItem)
    _ = try await service.resendDeadLetters(.init(deadLetterIDs: [letter.deadLetterID]))
    try await world.receiver.seen.wait("the third attempt") { $0.at("/hook/fail/2").count == 3 }
    try await world.wait("it is settled") {
      let target = try await $0.fetchDeliveryTargets(.init()).targets.first
      return target?.waitingCount == 0 && target?.deadLetterCount == 0
    }
  }

  @Test("410 removes the target; Retry-After is respected; redirects are not followed")
  func statuses() async throws {
    let world = try await DeliveryWorld.start()
    for path in ["/hook/status/410", "/hook/later", "/hook/redirect", "/hook/huge"] {
      try await world.addWebhook(path)
    }
    try await world.save("h1")
    let seen = try await world.receiver.seen.wait("all attempts") {
      $0.at("/hook/later").count == 2 && $0.at("/hook/redirect").count == 4
        && $0.at("/hook/status/410").count == 1 && $0.at("/cut").count == 1
    }
    let times = seen.at("/hook/later").compactMap {
      $0["at"]?.number.flatMap { Double($0.literal) }
    }
    #expect(times.count == 2 && times[1] - times[0] >= 3, "\(times)")
    #expect(seen.at("/stolen").isEmpty)
    try await world.wait("the target is gone, and what was redirected is dead") {
      let targets = try await $0.fetchDeliveryTargets(.init()).targets
      return targets.count == 3 && targets.allSatisfy { $0.waitingCount == 0 }
        && targets.map(\.deadLetterCount).reduce(0, +) == 1
    }
  }

  @Test("addresses of this machine and plain HTTP are refused unless they are allowed")
  func refused() async throws {
    for (arguments, reason) in [
      (["--allow-http"], "the host has an address that is not allowed"),
      (["--allow-addresses", "127.0.0.0/8"], "the URL is not https"),
    ] {
      let world = try await DeliveryWorld.start(arguments)
      try await world.addWebhook("/hook/a")
      try await world.add(
        .webhook(.init(url: "http://[::ffff:127.0.0.1]:\(world.receiver.port)/hook/a"))
      )
      try await world.add(.webhook(.init(url: "http://localhost:\(world.receiver.port)/hook/a")))
      try await world.save("h1")
      try await world.wait("three dead letters") {
        try await $0.fetchDeadLetters(.init()).deadLetters.count == 3
      }
      let letters = try await world.service().fetchDeadLetters(.init()).deadLetters
      #expect(letters.allSatisfy { $0.reason == reason }, "\(letters.map(\.reason))")
      #expect(world.receiver.seen.value.entries.isEmpty)
    }
  }

  @Test("a host with an address that is not allowed is tried again when another one fails")
  func refusedInPart() async throws {
    let world = try await DeliveryWorld.start()
    // libcurl knows two addresses, of which ::1 is not allowed. Nobody listens at the port.
    try await world.add(.webhook(.init(url: "http://localhost:1/")))
    try await world.save("h1")
    try await world.wait("a dead letter") {
      try await $0.fetchDeadLetters(.init()).deadLetters.count == 1
    }
    let letter = try await world.service().fetchDeadLetters(.init()).deadLetters.first
    #expect(letter?.attemptCount == 4 && letter?.reason.contains("not allowed") == false)
  }

  @Test("at most so many requests are in flight to a host, of hundreds that wait for it")
  func inFlight() async throws {
    let world = try await DeliveryWorld.start(
      ["--allow-http", "--allow-addresses", "127.0.0.0/8", "--in-flight-per-host", "5"]
    )
    try await world.addWebhook("/hook/busy/a")
    let other = "http://localhost:\(world.receiver.port)/hook/busy/b"
    try await world.add(.webhook(.init(url: other, secret: Receiver.secret(0))))
    let names = (0..<400).map { "h\($0)" }
    let client = try await world.server.client(as: "ada", device: "laptop")
    for part in 0..<4 {
      let records = names[(part * 100)..<(part * 100 + 100)].map { TidingsV1.Record("Houses", $0) }
      _ = try await client.records.modifyRecords(.init(recordsToSave: records))
    }
    let seen = try await world.receiver.seen.wait("all deliveries") {
      $0.at("/hook/busy/a").count >= 400 && $0.at("/hook/busy/b").count >= 400
    }
    for path in ["/hook/busy/a", "/hook/busy/b"] {
      #expect(Set(seen.at(path).compactMap(\.recordName)) == Set(names))
      #expect(seen.at(path).count == 400)
    }
    for host in ["127.0.0.1", "localhost"] {
      let counts = seen.at("/running").filter { $0["host"]?.string == host }
        .compactMap { $0["count"]?.number?.exactly(Int.self) }
      #expect(counts.max() == 5, "\(host)")
    }
    try await world.wait("all are settled, and none was tried in vain") {
      try await $0.fetchDeliveryTargets(.init()).targets.allSatisfy {
        $0.waitingCount == 0 && $0.failingSince == nil
      }
    }
  }

  @Test("a user whose hosts never answer leaves room to others")
  func hangingHosts() async throws {
    let world = try await DeliveryWorld.start(
      [
        "--allow-http", "--allow-addresses", "127.0.0.0/8", "--in-flight-max", "16",
        "--in-flight-per-host", "4",
      ],
      timeout: 600
    )
    for number in 0..<8 {
      let url = "http://a\(number).localhost:\(world.receiver.port)/hook/hang/\(number)"
      try await world.add(.webhook(.init(url: url, secret: Receiver.secret(0))))
    }
    // More than fit.
    for number in 0..<4 { try await world.save("a\(number)") }
    try await world.receiver.seen.wait("requests that hang") { seen in
      (0..<8).reduce(0) { $0 + seen.at("/hook/hang/\($1)").count } >= 8
    }
    let ben = try await world.server.client(as: "ben", device: "phone")
    _ = try await ben.subscriptions.modifySubscriptions(.init(subscriptionsToSave: [.houses]))
    let webhook = TidingsV1.WebhookAddress(
      url: world.receiver.url("/hook/ben"),
      secret: Receiver.secret(0)
    )
    _ = try await TidingsV1.DeliveryService.Client(ben.transport)
      .addDeliveryTarget(.init(address: .init(kind: .webhook(webhook))))
    let laptop = try await world.server.client(as: "ben", device: "laptop")
    _ = try await laptop.records.modifyRecords(
      .init(recordsToSave: [TidingsV1.Record("Houses", "b")])
    )
    try await world.receiver.seen.wait("the other user's") { $0.at("/hook/ben").count == 1 }
  }

  @Test("a test is sent; a removed target gets nothing")
  func tests() async throws {
    let world = try await DeliveryWorld.start()
    let id = try await world.addWebhook("/hook/a")
    let service = try await world.service()
    let delivery = try await service.testDeliveryTarget(.init(targetID: id)).deliveryID
    let seen = try await world.receiver.seen.wait("the test") { !$0.at("/hook/a").isEmpty }
    #expect(seen.at("/hook/a").first?.header("webhook-id") == delivery)
    _ = try await service.removeDeliveryTarget(.init(targetID: id))
    try await world.addWebhook("/hook/b")
    try await world.save("h1")
    try await world.receiver.seen.wait("the other target") { !$0.at("/hook/b").isEmpty }
    #expect(world.receiver.seen.value.at("/hook/a").count == 1)
  }

  @Test("what is no address is refused with the member")
  func invalid() async throws {
    let world = try await DeliveryWorld.start()
    let kinds: [TidingsV1.DeliveryAddress.Kind] = [
      .webhook(.init(url: "ftp://example.org/")), .webhook(.init(url: "https://a@example.org/")),
      .webhook(.init(url: "https://ex%61mple.org/")),
      .webhook(.init(url: "https:///x")), .webhook(.init(url: "https://example.org/#x")),
      .webhook(.init(url: "https://example.org/", secret: "whsec_AA==")),
      .webhook(.init(url: "https://e/" + String(repeating: "x", count: 2_048))),
      .webPush(.init(endpoint: "https://example.org/", publicKey: [4], authSecret: [1])),
      .apns(.init(topic: "a")), .fcm(.init()),
    ]
    for kind in kinds {
      let error = await failure { try await world.add(kind) }
      #expect(error?.code == .invalidArgument, "\(kind)")
    }
  }
}
