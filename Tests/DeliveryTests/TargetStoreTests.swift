internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// What the server keeps of targets, and for whom.
@Suite(.endsServers) struct TargetStoreTests {
  /// Whether some bytes are in a file of the data folder.
  private func isStored(_ text: String, in folder: TemporaryFolder) throws -> Bool {
    let wanted = Data(text.utf8)
    return try folder.contents("data").contains { name, bytes in
      name != "delivery.key" && Data(bytes).range(of: wanted) != nil
    }
  }

  @Test("neither addresses nor secrets are in the database", .embeddedOnly)
  func sealed() async throws {
    let server = try await TestServer.startLasting()
    let client = try await server.client(as: "ada", device: "phone-of-ada")
    let service = TidingsV1.DeliveryService.Client(client.transport)
    let secret = Receiver.secret(1)
    let kinds: [TidingsV1.DeliveryAddress.Kind] = [
      .webhook(.init(url: "https://hooks.example.org/a-path", secret: secret)),
      .fcm(.init(registrationToken: "a-registration-token")),
    ]
    for kind in kinds {
      _ = try await service.addDeliveryTarget(.init(address: .init(kind: kind)))
    }
    try await server.crash()
    for text in [secret, "hooks.example.org", "a-registration-token"] {
      #expect(try !isStored(text, in: server.folder), "\(text)")
    }
    // The search finds what is there.
    #expect(try isStored("phone-of-ada", in: server.folder))
    let next = try await server.restarted()
    let again = TidingsV1.DeliveryService.Client(
      try await next.client(as: "ada", device: "phone-of-ada").transport
    )
    let shown = try await again.fetchDeliveryTargets(.init()).targets.compactMap(\.address?.kind)
    #expect(shown.contains(.webhook(.init(url: "https://hooks.example.org/a-path"))))
    // Without the key they are shown, and cannot be used.
    try await next.crash()
    try FileManager.default.removeItem(atPath: server.folder.file("data/delivery.key"))
    let last = try await next.restarted()
    let blind = TidingsV1.DeliveryService.Client(
      try await last.client(as: "ada", device: "phone-of-ada").transport
    )
    let targets = try await blind.fetchDeliveryTargets(.init()).targets
    #expect(targets.count == 2 && targets.allSatisfy { $0.address == nil })
  }

  @Test("a target that was added again stays, whatever became of what was sent before")
  func addedAgain() async throws {
    let server = try await TestServer.startLasting()
    let client = try await server.client(as: "ada", device: "phone")
    let service = TidingsV1.DeliveryService.Client(client.transport)
    func add() async throws -> TidingsV1.DeliveryTarget {
      let kind = TidingsV1.DeliveryAddress.Kind.apns(.init(deviceToken: [1], topic: "org.example"))
      return try #require(
        try await service.addDeliveryTarget(.init(address: .init(kind: kind))).target
      )
    }
    func lease() async throws -> TidingsV1.Delivery? {
      try await service.leaseDeliveries(.init()).deliveries.first
    }
    func settle(_ delivery: TidingsV1.Delivery) async throws {
      let settlement = TidingsV1.DeliverySettlement(
        leaseID: delivery.leaseID,
        outcome: .targetGone(true),
        targetAdded: delivery.targetAdded
      )
      #expect(
        try await service.settleDeliveries(.init(settlements: [settlement])).lostCount == 0
      )
    }
    let first = try await add()
    _ = try await service.testDeliveryTarget(.init(targetID: first.targetID))
    let before = try #require(try await lease())
    #expect(before.targetAdded == first.created)
    var again = try await add()
    // Within a millisecond it would be the same time.
    try await waitUntil("a later time than that of the first", pausing: .zero) {
      guard again.created == first.created else { return true }
      again = try await add()
      return false
    }
    #expect(again.targetID == first.targetID)
    try await settle(before)
    let next = try #require(try await lease())
    #expect(next.deliveryID == before.deliveryID && next.targetAdded == again.created)
    #expect(next.attemptCount == 0)
    try await settle(next)
    #expect(try await service.fetchDeliveryTargets(.init()).targets.isEmpty)
  }

  @Test("only senders lease, and nobody sees targets of others")
  func roles() async throws {
    let server = try await SecureServer.start()
    let administration = try await server.administration()
    let keys = (
      ada: try await server.createUser("ada"),
      sender: try await server.createUser("deliverer", roles: ["sender"])
    )
    let ada = TidingsV1.DeliveryService.Client(
      try await server.client(keys.ada, device: "phone").transport
    )
    let sender = TidingsV1.DeliveryService.Client(
      try await server.client(keys.sender, device: "x").transport
    )
    let target = try await ada.addDeliveryTarget(
      .init(address: .init(kind: .webhook(.init(url: "https://example.org/"))))
    )
    #expect(target.webhookSecret.hasPrefix("whsec_"))
    let id = target.target?.targetID ?? ""
    #expect(await failure { _ = try await ada.leaseDeliveries(.init()) }?.code == .permissionDenied)
    #expect(
      await failure { _ = try await ada.settleDeliveries(.init()) }?.code == .permissionDenied
    )
    #expect(await failure { _ = try await ada.awaitDeliveries(.init()) }?.code == .permissionDenied)
    _ = try await ada.testDeliveryTarget(.init(targetID: id))
    let page = try await sender.leaseDeliveries(.init())
    #expect(page.deliveries.count == 1)
    #expect(page.deliveries.first?.isTest == true)
    #expect(page.deliveries.first?.userName == "ada")
    // It is leased.
    #expect(try await sender.leaseDeliveries(.init()).deliveries.isEmpty)
    #expect(try await sender.fetchDeliveryTargets(.init()).targets.isEmpty)
    #expect(
      await failure { _ = try await sender.removeDeliveryTarget(.init(targetID: id)) }?.code
        == .notFound
    )
    let lease = page.deliveries.first?.leaseID ?? ""
    let settled = try await sender.settleDeliveries(
      .init(settlements: [.init(leaseID: lease, outcome: .sent(true))])
    )
    #expect(settled.lostCount == 0)
    let twice = try await sender.settleDeliveries(
      .init(settlements: [.init(leaseID: lease, outcome: .sent(true))])
    )
    #expect(twice.lostCount == 1)
    // An erased user has none.
    _ = try await administration.eraseUser(.init(userName: "ada", publicRecords: .delete))
    var erasure: TidingsV1.UserErasure?
    try await waitUntil("the end of the erasure", pausing: .milliseconds(20)) {
      erasure = try await administration.fetchErasure(.init(which: .userName("ada"))).erasure
      return erasure?.finished != nil
    }
    #expect(erasure?.erased.first { $0.kind == "delivery-targets" }?.count == 1)
  }
}
