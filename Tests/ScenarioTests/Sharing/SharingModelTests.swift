internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto

/// Whatever users do to what they share, each sees by the feeds exactly what is shared with that user,
/// at every step, and is notified of every change of it and of nothing else.
@Suite(.endsServers) struct SharingModelTests {
  private static let stepCount = 160

  private static let kinds = [
    "save", "saveShared", "delete", "share", "change", "accept", "leave", "end", "request",
    "administer", "invite", "take",
  ]

  @Test("feeds and subscriptions of shared databases, held against what owners' zones say")
  func model() async throws {
    let seed = Seed.make("SharingModel")
    let world = try await RandomSharing(seed: seed)
    var watchers: [String: Watcher] = [:]
    for user in world.users { watchers[user] = try await Watcher(user, world.server) }
    var before: [String: SharedView] = [:]
    var (recordCount, changeCount) = (0, 0)
    var number = -1
    while true {
      number += 1
      // What is rare comes sooner or later.
      let isMissing =
        Self.kinds.contains { world.counts[$0, default: 0] == 0 }
        || recordCount <= 100 || changeCount <= 20
      guard number < Self.stepCount || isMissing && number < 5 * Self.stepCount else { break }
      let step = "seed \(seed), \(try await world.step())"
      for user in world.users { try await world.own[user]?.follow() }
      let owned = world.owned
      for user in world.users {
        let expected = SharedView(of: user, in: owned)
        guard let device = world.shared[user] else { continue }
        try await follow(device, expected, limit: world.pageLimit(), "\(step), seen by \(user)")
        if number % 20 == 19 {
          let fresh = try world.freshDevice(of: user)
          try await follow(fresh, expected, limit: world.pageLimit(), "\(step), again by \(user)")
        }
        let old = before[user] ?? expected
        let changed = old.changedZones(expected)
        let heard = try await watchers[user]?.takeZones()
        #expect(heard == changed, "\(step), received by \(user)")
        before[user] = expected
        recordCount += expected.zones.values.map(\.count).reduce(0, +)
        changeCount += changed.count
      }
    }
    let restartCount = world.users.compactMap { world.shared[$0]?.restartCount }.reduce(0, +)
    print(
      "\(world.counts), \(recordCount) records seen, \(changeCount) zones changed,",
      restartCount
    )
    #expect(recordCount > 100 && changeCount > 20, "seed \(seed)")
    for kind in Self.kinds {
      #expect(world.counts[kind, default: 0] > 0, "seed \(seed): no \(kind)")
    }
  }

  private func follow(
    _ device: FeedDevice,
    _ expected: SharedView,
    limit: UInt32,
    _ what: String
  ) async throws {
    let back = try await device.readBack(limit: limit)
    try await device.follow(limit: limit) { zone, record in
      let name = record.recordID?.recordName ?? ""
      #expect(expected.zones[zone]?[name] != nil, "\(what): never shared: \(zone) \(name)")
      #expect(record.recordID?.zoneID == zone, "\(what): \(name)")
    }
    #expect(SharedView(device.zones) == expected, "\(what)")
    for (zone, records) in back where device.zones[zone] != nil {
      #expect(records == device.zones[zone], "\(what), read back: \(zone)")
    }
    let all = try await device.withoutRecords().readBack(limit: limit)
    #expect(SharedView(all) == expected, "\(what), all read back")
  }
}

/// A device that is notified of a user's shared database through a subscription, and of its own changes not
/// at all, since it makes none.
private final class Watcher {
  private let client: Client
  private var token: [UInt8] = []

  init(_ user: String, _ server: TestServer) async throws {
    client = try await server.client(as: user, device: "\(user)-watch")
    let saved = try await client.subscriptions.modifySubscriptions(
      .init(databaseID: .init(scope: .shared), subscriptionsToSave: [.database("all")])
    )
    guard saved.results.first?.error == nil else {
      throw WaitingFailure(description: "not subscribed: \(saved)")
    }
  }

  /// The zones of which it received since the last time.
  func takeZones() async throws -> Set<TidingsV1.ZoneID> {
    let (notifications, token) = try await client.feed(after: token)
    self.token = token
    return Set(notifications.compactMap(\.recordID?.zoneID))
  }
}
