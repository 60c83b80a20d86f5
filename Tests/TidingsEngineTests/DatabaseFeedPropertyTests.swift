internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

/// Clients that follow a database's feed know its zones, and which of them changed.
@Suite struct DatabaseFeedPropertyTests {
  private struct Follower {
    var token: [UInt8] = []
    var zones: Set<ZoneID> = []
    /// Reported since all was reported.
    var reported: Set<ZoneID> = []
    /// Changed since all was reported.
    var changed: Set<ZoneID> = []
    /// Zones that were there at some time since the follower began.
    var seeable: Set<ZoneID> = []
  }

  @Test("followers know all zones, what changed, and why others are gone")
  func followers() throws {
    let seed = Seed.make("DatabaseFeed")
    var random = SplitMix64(seed: seed)
    var limits = Limits()
    limits.tombstoneRetention = .seconds(100)
    limits.rememberedEntriesMax = 100
    let harness = try ZoneStore(limits: limits)
    var zones: Set<ZoneID> = []
    var reasons: [ZoneID: ZoneDeletionReason] = [:]
    var followers = [Follower](repeating: Follower(), count: 4)
    var (drained, expired) = (0, 0)

    func touched(_ zone: ZoneID) {
      for index in followers.indices {
        followers[index].changed.insert(zone)
        followers[index].seeable.insert(zone)
      }
    }
    let steps = TestDatabase.rounds(4000)
    for step in 0..<steps {
      harness.time += 1
      let zone = ZoneID(zoneName: "z\(random.below(8))")
      switch random.below(12) {
      case 0:
        if zones.contains(zone) {
          let reason = random.pick([ZoneDeletionReason.deleted, .purged, .encryptedDataReset])
          try harness.deleteZone(zone, because: reason)
          reasons[zone] = reason
          zones.remove(zone)
        }
      case 1:
        try harness.saveZone(zone)
        if zones.insert(zone).inserted { touched(zone) }
      case 2...4:
        let zone = zones.isEmpty || random.oneIn(5) ? .default : random.pick(zones.sorted())
        try harness.modify(zone, saves: [Record("T", "r", zone, version: Int64(step))])
        zones.insert(zone)
        touched(zone)
      case 5 where random.oneIn(3): try harness.restart()
      case 6: try harness.pass(.seconds(random.below(120)))
      default:
        // The first asks often, the last seldom.
        let index = random.below(1 + random.below(followers.count))
        var follower = followers[index]
        defer { followers[index] = follower }
        if follower.token.isEmpty {
          follower = Follower(changed: zones, seeable: zones)
        }
        let limit = 1 + random.below(3)
        let page: DatabasePage
        do {
          page = try harness.databasePage(after: follower.token, limit: limit)
        } catch let error as ItemError {
          #expect(error.code == .changeTokenExpired, "seed \(seed)")
          expired += 1
          follower.token = []
          continue
        }
        #expect(page.changedZones.count + page.deletedZones.count <= limit)
        #expect(!page.moreComing || page.changedZones.count + page.deletedZones.count > 0)
        for zone in page.changedZones {
          #expect(zones.contains(zone), "seed \(seed)")
          follower.zones.insert(zone)
          follower.reported.insert(zone)
        }
        for deleted in page.deletedZones {
          #expect(reasons[deleted.zone] == deleted.reason && !zones.contains(deleted.zone))
          #expect(follower.seeable.contains(deleted.zone), "seed \(seed): never seen")
          follower.zones.remove(deleted.zone)
        }
        follower.token = page.changeToken
        guard !page.moreComing else { continue }
        drained += 1
        #expect(follower.zones == zones, "seed \(seed)")
        #expect(follower.changed.intersection(zones).isSubset(of: follower.reported))
        follower.reported = []
        follower.changed = []
      }
    }
    #expect(
      drained > steps / 80 && expired > steps / 1300,
      "the test tests little: \(drained), \(expired)"
    )
  }
}

extension Set<ZoneID> {
  fileprivate func sorted() -> [ZoneID] { sorted { $0.zoneName < $1.zoneName } }
}
