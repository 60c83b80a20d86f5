internal import Foundation
internal import Synchronization
internal import TestSupport
internal import Testing
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

@testable internal import TidingsDelivery

/// Web Push, APNs and FCM as the services see them.
@Suite(.endsServers) struct PushServiceTests {
  private func subscription(_ receiver: Receiver) throws -> TidingsV1.WebPushAddress {
    let object = try JSONValue(parsing: receiver.folder.read("subscription.json")).object
    func bytes(_ name: String) -> [UInt8] {
      var text = object?["keys"]?.object?[name]?.string ?? ""
      text = text.replacing("-", with: "+").replacing("_", with: "/")
      while !text.utf8.count.isMultiple(of: 4) { text += "=" }
      return Base64.decode(text) ?? []
    }
    return .init(
      endpoint: receiver.url("/push/1"),
      publicKey: bytes("p256dh"),
      authSecret: bytes("auth")
    )
  }

  @Test("a browser opens a Web Push message, and the service knows the sender")
  func webPush() async throws {
    let world = try await DeliveryWorld.start()
    var address = try subscription(world.receiver)
    try await world.add(.webPush(address))
    address.endpoint = world.receiver.url("/push/status/410")
    try await world.add(.webPush(address))
    try await world.save("h1")
    // Fields are left out of what would be too large.
    try await world.save("h2", city: String(repeating: "x", count: 20_000))
    let seen = try await world.receiver.seen.wait("messages") {
      $0.at("/push/1").count == 2 && !$0.at("/push/status/410").isEmpty
    }
    for entry in seen.at("/push/1") {
      #expect(entry["failure"] == nil, "\(entry)")
      #expect(entry["claims"]?.object?["aud"]?.string == world.receiver.url(""))
      #expect(entry["claims"]?.object?["sub"]?.string == "mailto:ada@example.org")
      #expect(entry["key"] == .bool(true))
      #expect(entry.header("content-encoding") == "aes128gcm")
      #expect(Int(entry.header("content-length")) ?? .max <= 4_096)
    }
    #expect(Set(seen.at("/push/1").compactMap(\.recordName)) == ["h1", "h2"])
    try await world.wait("the other subscription is gone") {
      try await $0.fetchDeliveryTargets(.init()).targets.count == 1
    }
  }

  @Test(
    "APNs gets CloudKit's dictionary over HTTP/2; gone tokens are removed, and busy ones tried again"
  )
  func apns() async throws {
    let world = try await DeliveryWorld.start()
    for token: [UInt8] in [
      [0xaa, 0xbb], [0xde, 0xad], [0xba, 0xd0], [0xc0, 0xde], [0x01, 0xd0],
    ] {
      try await world.add(.apns(.init(deviceToken: token, topic: "org.example.houses")))
    }
    try await world.save("h1")
    let seen = try await world.receiver.seen.wait("requests") { seen in
      ["aabb", "dead", "bad0"].allSatisfy { !seen.at("/3/device/\($0)").isEmpty }
        && seen.at("/3/device/c0de").count == 2 && seen.at("/3/device/01d0").count == 2
    }
    let entry = try #require(seen.at("/3/device/aabb").first)
    #expect(entry["failure"] == nil, "\(entry)")
    #expect(entry["token"]?.object?["kid"]?.string == "KEYID12345")
    #expect(entry["token"]?.object?["alg"]?.string == "ES256")
    #expect(entry["claims"]?.object?["iss"]?.string == "TEAM123456")
    #expect(entry.header("apns-topic") == "org.example.houses")
    #expect(entry.header("apns-push-type") == "alert")
    #expect(entry.header("apns-priority") == "10")
    #expect(Int(entry.header("apns-expiration")) ?? 0 > Int(Date().timeIntervalSince1970))
    #expect(entry.header("apns-id").count == 36)
    #expect(entry.recordName == "h1")
    let again = seen.at("/3/device/c0de").map { $0.header("apns-id") }
    #expect(Set(again).count == 1)
    // All requests have one token.
    #expect(Set(seen.entries.map { $0.header("authorization") }).count == 1)
    try await world.wait("two are gone") {
      let targets = try await $0.fetchDeliveryTargets(.init()).targets
      // A device that was gone before its target was added is not.
      return targets.count == 3 && targets.allSatisfy { $0.waitingCount == 0 }
    }
  }

  @Test("a provider's token is renewed in time, and at once when it is refused and old enough")
  func providerToken() async throws {
    let receiver = try await Receiver()
    var settings = Transfers.Settings()
    settings.rule = AddressRule(allowing: [try #require(.init("127.0.0.0/8"))])
    settings.certificates = receiver.folder.file("tls.pem")
    let transfers = try Transfers(settings)
    defer { transfers.stop() }
    let start = 1_800_000_000
    let now = Mutex(start)
    let key = try PrivateKey(pem: receiver.folder.read("apns.p8"))
    let service = APNS(
      .init(
        key: key,
        keyID: "KEYID12345",
        teamID: "TEAM123456",
        url: "https://127.0.0.1:\(receiver.http2Port)"
      )
    ) { now.withLock { $0 } }
    let delivery = Outgoing(.init(deliveryID: "d1", isTest: true))
    let address = TidingsV1.DeliveryAddress(
      kind: .apns(.init(deviceToken: [0xe0, 0xe0], topic: "org.example.houses"))
    )
    func send(minute: Int) async throws -> (request: TransferRequest, verdict: Verdict) {
      now.withLock { $0 = start + minute * 60 }
      let request = try await service.request(for: delivery, to: address)
      let answer = try await transfers.send(request)
      return (request, await service.verdict(on: answer, to: request, of: delivery))
    }
    func token(_ sent: (request: TransferRequest, verdict: Verdict)) -> String? {
      sent.request.header("authorization")
    }
    let refused = #"status 403: {"reason": "ExpiredProviderToken"}"#
    let first = try await send(minute: 0)
    #expect(first.verdict == .sent)
    // Another token within 20 minutes would be one too many.
    let early = try await send(minute: 19)
    #expect(early.verdict == .retry(refused, after: nil) && token(early) == token(first))
    let late = try await send(minute: 21)
    #expect(late.verdict == .again(refused) && token(late) == token(first))
    let renewed = try await send(minute: 21)
    #expect(renewed.verdict == .sent && token(renewed) != token(first))
    // An answer to a request with the token before does not end the new one.
    var answer = TransferAnswer(status: 403)
    answer.body = Array(#"{"reason": "ExpiredProviderToken"}"#.utf8)
    let verdict = await service.verdict(on: answer, to: first.request, of: delivery)
    #expect(verdict == .again(#"status 403: {"reason": "ExpiredProviderToken"}"#))
    #expect(token(try await send(minute: 22)) == token(renewed))
    #expect(token(try await send(minute: 60)) == token(renewed))
    let third = try await send(minute: 61)
    #expect(third.verdict == .sent && token(third) != token(renewed))
    // A clock that was set back would make the token one of the future.
    #expect(token(try await send(minute: 50)) != token(third))
    let seen = try await receiver.seen.wait("all requests") { $0.entries.count == 8 }
    #expect(seen.entries.allSatisfy { $0["failure"] == nil })
    let issued = seen.entries.compactMap { $0["claims"]?.object?["iat"]?.number?.exactly(Int.self) }
    #expect(issued.map { ($0 - start) / 60 } == [0, 0, 0, 21, 21, 21, 61, 50])
  }

  @Test("what FCM refuses with an access token that has ended is sent at once with another")
  func accessToken() async throws {
    let world = try await DeliveryWorld.start(pauses: "600")
    try await world.add(.fcm(.init(registrationToken: "once-refused")))
    try await world.save("h1")
    let path = "/v1/projects/p/messages:send"
    let seen = try await world.receiver.seen.wait("messages") { $0.at(path).count == 2 }
    #expect(
      seen.at(path).map { $0.header("authorization") } == ["Bearer opened", "Bearer opened-2"]
    )
    try await world.wait("it is settled") {
      let target = try await $0.fetchDeliveryTargets(.init()).targets.first
      return target?.waitingCount == 0 && target?.failingSince == nil
    }
  }

  @Test("FCM gets a message with one access token for many; unregistered devices are removed")
  func fcm() async throws {
    let world = try await DeliveryWorld.start()
    for token in ["one", "two", "gone"] {
      try await world.add(.fcm(.init(registrationToken: token)))
    }
    try await world.save("h1")
    try await world.save("h2")
    let path = "/v1/projects/p/messages:send"
    let seen = try await world.receiver.seen.wait("messages") { seen in
      seen.at(path).count { !($0["body"]?.string ?? "").contains("\"gone\"") } == 4
    }
    #expect(seen.at("/token").count == 1)
    #expect(seen.at("/token").first?["failure"] == nil)
    #expect(seen.at("/token").first?["claims"]?.object?["iss"]?.string == "tidings@p")
    for entry in seen.at(path) {
      #expect(entry.header("authorization") == "Bearer opened")
      let body = try JSONValue(parsing: Array((entry["body"]?.string ?? "").utf8))
      let message = body.object?["message"]?.object
      #expect(message?["notification"]?.object?["body"]?.string == "A house")
      let info = message?["data"]?.object?["tidings"]?.string ?? ""
      #expect(try JSONValue(parsing: Array(info.utf8)).object?["ck"] != nil)
    }
    try await world.wait("one is gone") {
      try await $0.fetchDeliveryTargets(.init()).targets.count == 2
    }
  }
}
