internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

/// Mirrors that follow a zone's feed page by page, while records and zones come and go, are equal to
/// the zone whenever they are reported that nothing more is coming.
@Suite struct ZoneFeedPropertyTests {
  private static let types = ["House", "Note"]

  /// What a record is, and since which step.
  private struct State: Equatable {
    var type: String
    /// `nil`: deleted.
    var version: Int64?
  }

  private struct ModelZone {
    /// Which of the zones of this name.
    var generation: Int
    var records: [String: State] = [:]
    var forgotten = 0
  }

  private struct Mirror {
    let zone: ZoneID
    let types: Set<String>
    var token: [UInt8] = []
    var cache: [String: State] = [:]
    /// Names that were alive at some time since the mirror began.
    var seeable: Set<String> = []
    var generation: Int?
    /// How often tombstones were forgotten when the token was last good for everything.
    var forgotten = 0
  }

  private final class World {
    let harness: ZoneStore
    let seed: UInt64
    var random: SplitMix64
    var zones: [ZoneID: ModelZone] = [.default: ModelZone(generation: 0)]
    var mirrors: [Mirror] = []
    var steps: Int64 = 0
    var drained = 0
    var expired = 0

    init(seed: UInt64) throws {
      self.seed = seed
      random = SplitMix64(seed: seed)
      var limits = Limits()
      limits.tombstoneRetention = .seconds(1000)
      limits.feedRowsPerCallMax = 2 + random.below(30)
      limits.answerBytesMax = 8 * (1 + random.below(20))
      harness = try ZoneStore(limits: limits)
      for zone in [ZoneID.default, ZoneID(zoneName: "a"), ZoneID(zoneName: "b")] {
        mirrors.append(Mirror(zone: zone, types: []))
        mirrors.append(Mirror(zone: zone, types: ["Note"]))
        mirrors.append(Mirror(zone: zone, types: ["House", "Note", "Other"]))
      }
    }

    func step() throws {
      steps += 1
      switch random.below(40) {
      case 0: try toggleZone()
      case 1: try harness.restart()
      case 2:
        try harness.pass(.seconds(random.below(900)))
        for zone in zones.keys { zones[zone]?.forgotten += 1 }
      case 3..<14: try change()
      default: try pull(random.below(mirrors.count))
      }
    }

    private func toggleZone() throws {
      let zone = ZoneID(zoneName: random.pick(["a", "b"]))
      if let old = zones[zone] {
        try harness.deleteZone(zone)
        zones[zone] = nil
        generations[zone] = old.generation + 1
      } else {
        harness.time += 1
        try harness.saveZone(zone)
        zones[zone] = ModelZone(generation: generations[zone] ?? 0)
      }
    }
    private var generations: [ZoneID: Int] = [:]

    private func change() throws {
      harness.time += 1
      let zone = random.pick(zones.keys.sorted { $0.zoneName < $1.zoneName })
      var names = (0..<12).map { "r\($0)" }.shuffled(using: &random)
      var saves: [Record] = []
      for name in names.prefix(random.below(7)) {
        // A record keeps its type, its tombstone does not.
        let old = zones[zone]?.records[name]
        let type = old?.version == nil ? random.pick(ZoneFeedPropertyTests.types) : old?.type ?? ""
        saves.append(Record(type, name, zone, version: steps))
      }
      names.removeFirst(saves.count)
      let deletions = Array(names.prefix(random.below(4)))
      try harness.modify(zone, saves: saves, deletions: deletions)
      for record in saves {
        let name = record.recordID.recordName
        zones[zone]?.records[name] = State(type: record.recordType, version: steps)
        for index in mirrors.indices where mirrors[index].zone == zone {
          mirrors[index].seeable.insert(name)
        }
      }
      for name in deletions where zones[zone]?.records[name] != nil {
        zones[zone]?.records[name]?.version = nil
      }
    }

    private func pull(_ index: Int) throws {
      var mirror = mirrors[index]
      defer { mirrors[index] = mirror }
      let zone = zones[mirror.zone]
      if mirror.token.isEmpty {
        let alive = zone?.records.filter { $0.value.version != nil } ?? [:]
        mirror.seeable = Set(alive.keys)
        mirror.cache = [:]
        mirror.generation = zone?.generation
        mirror.forgotten = zone?.forgotten ?? 0
      }
      let limit = 1 + random.below(5)
      let page: ReadZonePage
      do {
        page = try harness.page(
          mirror.zone,
          after: mirror.token,
          limit: limit,
          types: mirror.types
        )
      } catch let error as ItemError {
        switch error.code {
        case .zoneNotFound: #expect(zone == nil, "seed \(seed)")
        case .changeTokenExpired:
          expired += 1
          #expect(
            mirror.generation != zone?.generation || mirror.forgotten < zone?.forgotten ?? 0,
            "seed \(seed): \(error)"
          )
        default: Issue.record("seed \(seed): \(error)")
        }
        mirror.token = []
        return
      }
      let model = try #require(zone, "seed \(seed)")
      #expect(mirror.generation == model.generation, "seed \(seed)")
      check(page, mirror, model, limit)
      try checkLast(page, mirror)
      for record in page.saved {
        mirror.cache[record.recordID.recordName] = State(
          type: record.recordType,
          version: record.version
        )
      }
      for (name, _) in page.deleted { mirror.cache[name] = nil }
      mirror.token = page.token
      guard !page.moreComing else { return }
      drained += 1
      mirror.forgotten = model.forgotten
      let expected = model.records.filter { record in
        record.value.version != nil
          && (mirror.types.isEmpty || mirror.types.contains(record.value.type))
      }
      // A name that came back with another type is another record; who filters misses its end.
      let cache = mirror.cache.filter { model.records[$0.key]?.type == $0.value.type }
      #expect(cache == expected, "seed \(seed)")
    }

    private func check(_ page: ReadZonePage, _ mirror: Mirror, _ model: ModelZone, _ limit: Int) {
      let names = page.names + page.deleted.map(\.name)
      #expect(names.count <= limit && Set(names).count == names.count, "seed \(seed)")
      for record in page.saved {
        let state = State(type: record.recordType, version: record.version)
        #expect(model.records[record.recordID.recordName] == state, "seed \(seed)")
        #expect(mirror.types.isEmpty || mirror.types.contains(record.recordType))
      }
      for (name, type) in page.deleted {
        #expect(model.records[name] == State(type: type, version: nil), "seed \(seed)")
        #expect(mirror.seeable.contains(name), "seed \(seed): never seen")
        #expect(mirror.types.isEmpty || mirror.types.contains(type))
      }
    }

    /// When more is coming, and nothing is skipped, the next page is not empty.
    private func checkLast(_ page: ReadZonePage, _ mirror: Mirror) throws {
      guard page.moreComing, mirror.types.isEmpty, harness.limits.feedRowsPerCallMax > 14 else {
        return
      }
      let next = try harness.page(mirror.zone, after: page.token)
      #expect(!next.isEmpty, "seed \(seed)")
    }
  }

  @Test("mirrors equal their zones whenever nothing more is coming")
  func mirrors() throws {
    let seed = Seed.make("ZoneFeed")
    var random = SplitMix64(seed: seed)
    var (drained, expired) = (0, 0)
    let rounds = TestDatabase.rounds(12)
    for _ in 0..<rounds {
      let world = try World(seed: random.next())
      for _ in 0..<400 { try world.step() }
      drained += world.drained
      expired += world.expired
    }
    #expect(
      drained > 8 * rounds && expired > rounds / 2,
      "the test tests little: \(drained), \(expired)"
    )
  }
}
