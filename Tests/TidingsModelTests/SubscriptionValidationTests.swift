internal import Testing

@testable internal import TidingsModel

@Suite struct SubscriptionValidationTests {
  private func subscription(
    _ id: String = "s",
    _ kind: Subscription.Kind = .query,
    type: String = "T",
    zone: ZoneID? = nil,
    options: Int64 = 1,
    predicate: String = "TRUEPREDICATE",
    _ change: (inout NotificationInfo) -> Void = { _ in }
  ) throws -> Subscription {
    var info = NotificationInfo()
    change(&info)
    var subscription = Subscription(
      subscriptionID: id,
      recordType: type,
      predicate: try Predicate(text: predicate),
      zoneID: zone,
      options: .init(rawValue: options),
      notificationInfo: info
    )
    subscription.kind = kind
    return subscription
  }

  @Test("what may be is accepted")
  func good() throws {
    for good in [
      try subscription(options: 15) { $0.desiredKeys = ["a", "b", "c"] },
      try subscription(options: 63), try subscription(options: 16), try subscription(options: 32),
      try subscription(zone: .default),
      try subscription { $0.titleLocalizationArgs = ["a", "a"] },
      try subscription("s", .recordZone, type: "", zone: .default, options: 0),
      try subscription("s", .recordZone, zone: ZoneID(zoneName: "attic"), options: 0) {
        $0.collapseIDKey = "c"
      },
      try subscription("s", .database, type: "", options: 0) { $0.title = "News" },
      try subscription("s", .database, options: 0),
    ] {
      try good.validate(desiredKeysMax: 3)
    }
  }

  @Test("what a kind does not have is refused, with the kind to use instead")
  func bad() throws {
    let attic = ZoneID(zoneName: "attic")
    let longArgs = Array(repeating: "a", count: 17)
    let wrong: [(Subscription, String)] = [
      (try subscription(""), "subscription ID is empty"), (try subscription("_s"), "'_s'"),
      (try subscription(type: ""), "RECORD_ZONE or DATABASE"),
      (try subscription(type: "a b"), "record type"),
      (try subscription(options: 0), "fires on no change"),
      (try subscription(options: 8), "fires on no change"),
      (try subscription(options: 65), "unknown bits"),
      (try subscription(zone: ZoneID(zoneName: "")), "zone name"),
      (try subscription { $0.desiredKeys = ["a", "b", "c", "d"] }, "at most 3"),
      (try subscription { $0.desiredKeys = ["a b"] }, "'a b'"),
      (try subscription { $0.subtitleLocalizationArgs = ["a b"] }, "arguments of the subtitle"),
      (try subscription { $0.titleLocalizationArgs = longArgs }, "at most 16"),
      (try subscription { $0.title = String(repeating: "x", count: 4_097) }, "4097 bytes"),
      (try subscription("s", .recordZone, options: 0), "use a DATABASE subscription"),
      (try subscription("s", .database, zone: attic, options: 0), "use a RECORD_ZONE subscription"),
    ]
    for (subscription, part) in wrong {
      let error = try #require(throws: ItemError.self) {
        try subscription.validate(desiredKeysMax: 3)
      }
      #expect(error.code == .invalidArguments)
      #expect(error.message.contains(part), "\(error)")
    }
    for kind in [Subscription.Kind.recordZone, .database] {
      let zone = kind == .recordZone ? attic : nil
      for (subscription, part) in [
        (try subscription("s", kind, zone: zone, options: 8), "cannot fire once"),
        (try subscription("s", kind, zone: zone, options: 2), "leave out what it fires on"),
        (try subscription("s", kind, zone: zone, options: 32), "leave out what it fires on"),
        (
          try subscription("s", kind, zone: zone, options: 0, predicate: "a = 1"),
          "leave out the predicate"
        ),
        (
          try subscription("s", kind, zone: zone, options: 0) { $0.desiredKeys = ["a"] },
          "cannot have desired keys"
        ),
        (
          try subscription("s", kind, zone: zone, options: 0) { $0.alertLocalizationArgs = ["a"] },
          "localization arguments"
        ),
        (
          try subscription("s", kind, type: "a b", zone: zone, options: 0),
          "record type"
        ),
      ] {
        let error = try #require(throws: ItemError.self) {
          try subscription.validate(desiredKeysMax: 3)
        }
        #expect(error.code == .invalidArguments)
        #expect(error.message.contains(part), "\(error)")
        if part != "record type" { #expect(error.message.contains("a QUERY subscription")) }
      }
    }
  }
}
