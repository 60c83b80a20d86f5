internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsEngine
internal import TidingsModel

/// Records that name assets, over the engine.
@Suite struct AssetReferenceTests {
  private let caller = Caller(user: "ada", device: "laptop")

  private static func asset(_ number: Int) -> Asset {
    Asset(checksum: [UInt8](repeating: UInt8(number), count: 32), size: UInt64(number))
  }

  private func save(
    _ records: [Record],
    _ engine: Engine,
    isAtomic: Bool = true
  ) throws -> [RecordOutcome] {
    try engine.modifyRecords(
      RecordChanges(
        database: AssetStore.database(),
        saves: records,
        deletions: [],
        policy: .allKeys,
        isAtomic: isAtomic
      ),
      caller: caller
    ).outcomes
  }

  private func record(_ name: String, _ fields: RecordFields) -> Record {
    Record(recordID: RecordID(recordName: name), recordType: "Houses", fields: fields)
  }

  private func error(_ outcome: RecordOutcome) -> ItemError? {
    if case .failed(_, let error, _) = outcome { error } else { nil }
  }

  @Test("a save that names what is not there says which record, field and asset, and what to do")
  func refuses() throws {
    let store = try AssetStore()
    try store.commit { try $0.addAsset(Self.asset(1), in: AssetStore.database(), by: "ada") }
    try store.commit { try $0.addAsset(Self.asset(2), in: AssetStore.database("bob"), by: "bob") }
    let outcomes = try store.commit { engine in
      try save(
        [
          record("good", ["photo": .asset(Self.asset(1))]),
          record("bad", ["photos": .assetList([Self.asset(1), Self.asset(2)])]),
          record("size", ["photo": .asset(Asset(checksum: Self.asset(1).checksum, size: 9))]),
        ],
        engine,
        isAtomic: false
      )
    }
    #expect(error(outcomes[0]) == nil)
    let missing = try #require(error(outcomes[1]))
    #expect(missing.code == .assetNotAvailable)
    let checksum = String(repeating: "02", count: 32)
    for word in ["'bad'", "'photos'", checksum, "upload it first"] {
      #expect(missing.message.contains(word), "\(missing.message)")
    }
    #expect(error(outcomes[2])?.code == .invalidArguments)
    #expect(error(outcomes[2])?.message.contains("1 bytes, not 9") == true)
    #expect(try store.referenceCount() == 1)
  }

  @Test("in an atomic batch nothing is saved, and no reference is left")
  func refusesBatch() throws {
    let store = try AssetStore()
    try store.commit { try $0.addAsset(Self.asset(1), in: AssetStore.database(), by: "ada") }
    let outcomes = try store.commit { engine in
      try save(
        [
          record("good", ["photo": .asset(Self.asset(1))]),
          record("bad", ["photo": .asset(Self.asset(2))]),
        ],
        engine
      )
    }
    #expect(outcomes.map { error($0)?.code } == [.batchRequestFailed, .assetNotAvailable])
    #expect(try store.referenceCount() == 0)
    #expect(try store.released().values.allSatisfy { $0 == store.now })
  }

  @Test("a collection that is rolled back leaves no file to be removed")
  func rollback() throws {
    let store = try AssetStore()
    try store.commit { try $0.addAsset(Self.asset(1), in: AssetStore.database(), by: "ada") }
    store.advance(by: AssetStore.retentionMilliseconds)
    try store.engine.begin()
    _ = try store.engine.doMaintenance()
    store.engine.rollback()
    try store.commit { _ in }
    #expect(store.committed?.collectedAssets == [])
    #expect(try store.released().count == 1)
  }

  @Test("files go when the last database forgot the asset")
  func severalDatabases() throws {
    let store = try AssetStore()
    try store.commit { try $0.addAsset(Self.asset(1), in: AssetStore.database(), by: "ada") }
    store.advance(by: 1000)
    try store.commit { try $0.addAsset(Self.asset(1), in: AssetStore.database("bob"), by: "bob") }
    store.advance(by: AssetStore.retentionMilliseconds - 1000)
    try store.commit { _ = try $0.doMaintenance() }
    #expect(store.committed?.collectedAssets == [])
    #expect(try store.released() == [:] && store.released("bob").count == 1)
    store.advance(by: 2 * 3_600_000)
    try store.commit { _ = try $0.doMaintenance() }
    #expect(store.committed?.collectedAssets == [Self.asset(1).checksum])
    #expect(try store.released("bob") == [:])
  }

  @Test("uploading again begins the time of a released asset again, and not of one that is named")
  func renews() throws {
    let store = try AssetStore()
    for number in [1, 2] {
      try store.commit { try $0.addAsset(Self.asset(number), in: AssetStore.database(), by: "ada") }
    }
    try store.commit { _ = try save([record("a", ["f": .asset(Self.asset(1))])], $0) }
    store.advance(by: 5000)
    for number in [1, 2] {
      try store.commit { try $0.addAsset(Self.asset(number), in: AssetStore.database(), by: "ada") }
    }
    #expect(
      try store.released() == [Self.asset(1).checksum: 0, Self.asset(2).checksum: store.now]
    )
  }

  // MARK: Random changes

  /// What must be in the store.
  private struct Model {
    typealias Fields = [String: [Int]]
    var records: [RecordID: Fields] = [:]
    /// Since when an asset is named by nobody.
    var released: [Int: Int64?] = [:]

    func named() -> Set<Int> { Set(records.values.flatMap { $0.values.joined() }) }

    var references: Int {
      records.values.reduce(0) { $0 + Set($1.values.joined()).count }
    }

    /// Follows the change of records: what is named now, and what is no longer.
    mutating func change(at now: Int64, _ body: (inout Self) -> Void) {
      let before = named()
      body(&self)
      let after = named()
      for number in after { released[number] = .some(nil) }
      for number in before.subtracting(after) { released[number] = now }
    }
  }

  private static let zones = ["_defaultZone", "a", "b"].map { ZoneID(zoneName: $0) }

  @Test("references and releases follow any saves, deletions and removals of zones")
  func randomChanges() throws {
    let seed = Seed.make("assetReferences")
    var random = SplitMix64(seed: seed)
    let store = try AssetStore()
    var model = Model()
    for _ in 0..<2000 {
      store.advance(by: Int64(random.below(1000)))
      switch random.below(20) {
      case 0..<4: try upload(random.below(6), &model, store)
      case 4..<13: try save(&random, &model, store)
      case 13..<17: try delete(&random, &model, store)
      case 17: try deleteZone(random.pick(Array(Self.zones[1...])), &model, store)
      default: try collect(&random, &model, store)
      }
      let expected = model.released.map { (Self.asset($0.key).checksum, $0.value ?? 0) }
      try #require(
        try store.released() == Dictionary(uniqueKeysWithValues: expected),
        "seed \(seed)"
      )
      try #require(try store.referenceCount() == model.references, "seed \(seed)")
    }
  }

  private func upload(_ number: Int, _ model: inout Model, _ store: AssetStore) throws {
    try store.commit { try $0.addAsset(Self.asset(number), in: AssetStore.database(), by: "ada") }
    if model.released[number] != .some(nil) { model.released[number] = store.now }
  }

  private func save(
    _ random: inout SplitMix64,
    _ model: inout Model,
    _ store: AssetStore
  ) throws {
    let zone = random.pick(Self.zones)
    try store.commit {
      _ = try $0.saveZone(
        zone,
        in: AssetStore.database(),
        caller: Caller(user: "ada", device: "laptop")
      )
    }
    let id = RecordID(recordName: "r\(random.below(5))", zoneID: zone)
    var fields = model.records[id] ?? [:]
    var sent: [RecordFields.Field] = [.init(name: "text", value: .string("x"))]
    for field in ["one", "two", "list"] where random.oneIn(2) {
      let numbers = (0..<(field == "list" ? random.below(4) : random.below(2))).map { _ in
        random.below(6)
      }
      fields[field] = numbers
      let assets = numbers.map(Self.asset)
      let value: FieldValue? =
        field == "list"
        ? (assets.isEmpty ? nil : .assetList(assets)) : assets.first.map { .asset($0) }
      sent.append(.init(name: field, value: value))
    }
    let isMissing = Set(fields.values.joined()).contains { model.released[$0] == nil }
    let outcome = try store.commit { engine in
      try save([Record(recordID: id, recordType: "T", fields: RecordFields(sent))], engine)[0]
    }
    #expect(error(outcome)?.code == (isMissing ? .assetNotAvailable : nil))
    if !isMissing { model.change(at: store.now) { $0.records[id] = fields } }
  }

  private func delete(
    _ random: inout SplitMix64,
    _ model: inout Model,
    _ store: AssetStore
  ) throws {
    guard
      let id = model.records.keys.sorted(by: { "\($0)" < "\($1)" }).randomElement(using: &random)
    else { return }
    try store.commit { engine in
      _ = try engine.modifyRecords(
        RecordChanges(
          database: AssetStore.database(),
          saves: [],
          deletions: [id],
          policy: .allKeys
        ),
        caller: caller
      )
    }
    model.change(at: store.now) { $0.records[id] = nil }
  }

  private func deleteZone(_ zone: ZoneID, _ model: inout Model, _ store: AssetStore) throws {
    try store.commit { engine in
      _ = try engine.saveZone(
        zone,
        in: AssetStore.database(),
        caller: Caller(user: "ada", device: "laptop")
      )
      try engine.deleteZone(
        zone,
        in: AssetStore.database(),
        because: .deleted,
        caller: caller
      )
    }
    model.change(at: store.now) { $0.records = $0.records.filter { $0.key.zoneID != zone } }
  }

  private func collect(
    _ random: inout SplitMix64,
    _ model: inout Model,
    _ store: AssetStore
  ) throws {
    // Longer than the pause of the maintenance task.
    store.advance(by: 3_600_000 * Int64(1 + random.below(20)))
    try store.commit { _ = try $0.doMaintenance() }
    let end = store.now - AssetStore.retentionMilliseconds
    let gone = model.released.filter { ($0.value ?? .max) <= end }.keys
    #expect(
      Set(store.committed?.collectedAssets ?? []) == Set(gone.map { Self.asset($0).checksum })
    )
    for number in gone { model.released[number] = nil }
  }
}
