internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsSQL

/// Which records shares hold, after random calls of their owner, against the chains of parents.
@Suite struct SharedRecordsTests {
  private static let zone = ZoneID(zoneName: "trips")
  private static let ada = Caller(user: "ada", device: "laptop")
  private static let database = DatabaseID(
    container: "default",
    environment: .development,
    scope: .private,
    owner: "ada"
  )

  /// An engine, and what its records should be.
  private final class World {
    let engine: Engine
    private let connection: any SQLConnection
    /// By name; the parent, or `nil`.
    var parents: [String: String?] = [:]
    /// By the shares' names: their roots.
    var shares: [String: String] = [:]
    /// So many calls share a transaction, which is not committed before the last one.
    var callsPerGroup = 1
    private var openCalls = 0

    init(limits: Limits = Limits()) throws {
      connection = try TestDatabase().connect()
      engine = try Engine(connection, limits: limits, clock: { .now })
      try engine.begin()
      _ = try engine.saveZone(zone, in: database, caller: ada)
      _ = try engine.commit()
    }

    @discardableResult
    func modify(
      _ saves: [Record],
      delete: [String] = [],
      atomic: Bool = true
    ) throws -> ModifiedRecords {
      var changes = RecordChanges(
        database: database,
        saves: saves,
        deletions: delete.map { RecordID(recordName: $0, zoneID: zone) },
        policy: .allKeys
      )
      changes.isAtomic = atomic
      if openCalls == 0 { try engine.begin() }
      let modified = try engine.modifyRecords(changes, caller: ada)
      openCalls = (openCalls + 1) % callsPerGroup
      if openCalls == 0 { _ = try engine.commit() }
      for outcome in modified.outcomes {
        switch outcome {
        case .saved(let record): note(record)
        case .deleted(let id): forget(id.recordName)
        case .failed: break
        }
      }
      for cascade in modified.cascadedDeletions { forget(cascade.recordID.recordName) }
      return modified
    }

    private func note(_ record: Record) {
      let name = record.recordID.recordName
      if let share = record.share {
        shares[name] = share.rootRecordName
      } else {
        parents.updateValue(record.parent?.recordID.recordName, forKey: name)
      }
    }

    private func forget(_ name: String) {
      parents[name] = nil
      shares[name] = nil
    }

    /// The share of the nearest record above, or of the record itself.
    private func share(of name: String) -> String? {
      let byRoot = Dictionary(shares.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
      var (next, seen) = (name as String?, [] as Set<String>)
      while let current = next, seen.insert(current).inserted {
        if let share = byRoot[current] { return share }
        next = parents[current] ?? nil
      }
      return nil
    }

    /// `record in share` for each record that is in one.
    var expected: Set<String> {
      var found = Set(
        parents.keys.compactMap { name in share(of: name).map { "\(name) in \($0)" } }
      )
      for name in shares.keys { found.insert("\(name) in \(name)") }
      return found
    }

    var stored: Set<String> {
      get throws {
        let rows = try connection.prepare(
          """
          SELECT r.name, s.name FROM shared_records AS r JOIN shares AS s ON s.id = r.share_id
          WHERE r.gone = 0 AND s.ended IS NULL
          """
        )
        var found: Set<String> = []
        try rows.forEachRow { found.insert("\(rows.string(0)) in \(rows.string(1))") }
        return found
      }
    }

    /// Shares whose head is not that of their newest row.
    var wrongHeads: [String] {
      get throws {
        let rows = try connection.prepare(
          """
          SELECT name FROM shares AS s WHERE ended IS NULL AND root <> '' AND head <>
            (SELECT max(changed) FROM shared_records WHERE share_id = s.id)
          """
        )
        var found: [String] = []
        try rows.forEachRow { found.append(rows.string(0)) }
        return found
      }
    }

    func shareName(of name: String) throws -> String {
      var found = ""
      try engine.withRecord(
        RecordID(recordName: name, zoneID: zone),
        in: database,
        caller: ada
      ) { body in found = try BodyCodec().decodeRecord(body).shareRecordName }
      return found
    }
  }

  private static func record(_ name: String, in parent: String?) -> Record {
    var record = Record(
      recordID: RecordID(recordName: name, zoneID: zone),
      recordType: "Notes"
    )
    record.parent = Reference(
      recordID: RecordID(recordName: parent ?? "", zoneID: parent == nil ? .default : zone)
    )
    return record
  }

  private static func share(_ name: String, of root: String) -> Record {
    var record = Record(
      recordID: RecordID(recordName: name, zoneID: zone),
      recordType: Share.recordType
    )
    record.share = Share(rootRecordName: root)
    return record
  }

  private static func code(_ outcome: RecordOutcome) -> Int32 {
    if case .failed(_, let error, _) = outcome { error.code.rawValue } else { 0 }
  }

  @Test(
    "shares hold what is below their roots, after any calls, alone and in groups",
    arguments: 0..<6
  )
  func random(run: Int) throws {
    let seed = Seed.make("SharedRecordsTests.random \(run)")
    var random = SplitMix64(seed: seed)
    let world = try World()
    world.callsPerGroup = run % 2 == 0 ? 1 : 8
    let names = (0..<14).map { "r\($0)" }
    var shared = 0
    for step in 0..<400 {
      var saves: [String: Record] = [:]
      var deletions: Set<String> = []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        guard let name = names.randomElement(using: &random) else { continue }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: deletions.insert(name)
        case 1:
          if let share = world.shares.keys.sorted().randomElement(using: &random) {
            deletions.insert(share)
          }
        case 2:
          let share = "s\(Int.random(in: 0..<4, using: &random))"
          saves[share] = Self.share(share, of: name)
        default:
          let parent = Bool.random(using: &random) ? names.randomElement(using: &random) : nil
          saves[name] = Self.record(name, in: parent == name ? nil : parent)
        }
      }
      for name in saves.keys { deletions.remove(name) }
      let modified = try world.modify(
        saves.keys.sorted().compactMap { saves[$0] }.shuffled(using: &random),
        delete: deletions.sorted(),
        atomic: Bool.random(using: &random)
      )
      let stored = try world.stored
      try #require(
        stored == world.expected,
        "seed \(seed), step \(step): \(stored.symmetricDifference(world.expected)) \(modified)"
      )
      try #require(try world.wrongHeads == [], "seed \(seed), step \(step)")
      for (name, root) in world.shares {
        try #require(try world.shareName(of: root) == name, "seed \(seed), step \(step)")
        shared += 1
      }
      let roots = Set(world.shares.values)
      for name in world.parents.keys where !roots.contains(name) {
        try #require(try world.shareName(of: name) == "", "seed \(seed), step \(step)")
      }
    }
    #expect(shared > 50, "seed \(seed)")
  }

  @Test("a share holds so many records and no more, whether they come one by one or as a tree")
  func limit() throws {
    var limits = Limits()
    limits.sharedRecordsMax = 10
    let world = try World(limits: limits)
    try world.modify((0..<9).map { Self.record("a\($0)", in: $0 == 0 ? nil : "a0") })
    #expect(try world.modify([Self.share("s", of: "a0")]).outcomes.map(Self.code) == [0])
    let late = try world.modify([Self.record("late", in: "a1")])
    #expect(late.outcomes.map(Self.code) == [27])
    try world.modify([Self.record("b", in: nil), Self.record("c", in: "b")])
    #expect(try world.modify([Self.record("b", in: "a0")]).outcomes.map(Self.code) == [27])
    try world.modify([], delete: ["a8", "a7"])
    #expect(try world.modify([Self.record("b", in: "a0")]).outcomes.map(Self.code) == [0])
    #expect(try world.stored == world.expected)
    try world.modify((0..<10).map { Self.record("d\($0)", in: $0 == 0 ? nil : "d\($0 - 1)") })
    #expect(try world.modify([Self.share("t", of: "d0")]).outcomes.map(Self.code) == [27])
    #expect(try world.shareName(of: "d0") == "")
  }

  @Test("one call takes so many records into shares, in all zones, and the rest comes in parts")
  func callLimit() throws {
    var limits = Limits()
    limits.sharedRecordsPerCallMax = 10
    let world = try World(limits: limits)
    for tree in ["a", "b"] {
      try world.modify(
        (0...8).map { Self.record("\(tree)\($0)", in: $0 == 0 ? nil : "\(tree)\($0 - 1)") }
      )
    }
    let shares = [Self.share("s", of: "a0"), Self.share("t", of: "b0")]
    let both = try world.modify(shares)
    #expect(both.outcomes.map(Self.code).contains(27))
    #expect(try world.stored.isEmpty)
    guard case .failed(_, let error, _)? = both.outcomes.first(where: { Self.code($0) == 27 })
    else { return }
    for words in ["more than 10 records", "part by part", "shared-records-per-call-max"] {
      #expect(error.message.contains(words), "\(error.message)")
    }
    for share in shares { #expect(try world.modify([share]).outcomes.map(Self.code) == [0]) }

    // A tree that is too large comes in parts, and leaves as a whole with its share.
    try world.modify((0...15).map { Self.record("c\($0)", in: $0 == 0 ? nil : "c\($0 - 1)") })
    #expect(try world.modify([Self.record("c0", in: "a8")]).outcomes.map(Self.code) == [27])
    #expect(try world.modify([Self.record("c8", in: nil)]).outcomes.map(Self.code) == [0])
    #expect(try world.modify([Self.record("c0", in: "a0")]).outcomes.map(Self.code) == [0])
    #expect(try world.modify([Self.record("c8", in: "a0")]).outcomes.map(Self.code) == [0])
    #expect(try world.stored == world.expected)
    #expect(try world.modify([], delete: ["s"]).outcomes.map(Self.code) == [0])
    #expect(try world.stored == world.expected)
  }

  @Test("one call reads so many bytes to find what is above its records")
  func bytesLimit() throws {
    var limits = Limits()
    limits.sharingBytesPerCallMax = 50_000
    let world = try World(limits: limits)
    try world.modify(
      (0...8).map { number in
        var record = Self.record("a\(number)", in: number == 0 ? nil : "a\(number - 1)")
        record.fields = ["text": .string(String(repeating: "x", count: 10_000))]
        return record
      }
    )
    try world.modify([Self.record("b", in: nil), Self.record("c", in: nil)])
    #expect(try world.modify([Self.share("s", of: "c")]).outcomes.map(Self.code) == [0])
    let far = try world.modify([Self.record("b", in: "a8")])
    #expect(far.outcomes.map(Self.code) == [27])
    #expect(try world.modify([Self.record("b", in: "a3")]).outcomes.map(Self.code) == [0])
  }

  @Test("a transaction that is rolled back leaves no share, in memory or in the store")
  func rollback() throws {
    let world = try World()
    try world.modify([Self.record("a", in: nil), Self.record("b", in: "a")])
    try world.engine.begin()
    _ = try world.engine.modifyRecords(
      RecordChanges(
        database: Self.database,
        saves: [Self.share("s", of: "a")],
        deletions: []
      ),
      caller: Self.ada
    )
    world.engine.rollback()
    #expect(try world.stored.isEmpty)
    #expect(try world.shareName(of: "a") == "")
    #expect(try world.modify([Self.share("t", of: "a")]).outcomes.map(Self.code) == [0])
    #expect(try world.stored == ["a in t", "b in t", "t in t"])
  }
}
