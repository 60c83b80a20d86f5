internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

/// Who may have which asset of a public database.
@Suite struct PublicAssetTests {
  private static let schema = """
    DEFINE SCHEMA
        CREATE ROLE editor;
        RECORD TYPE Open ( f ASSET, GRANT READ TO "_world",
            GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator" );
        RECORD TYPE Members ( f ASSET, GRANT READ, CREATE, WRITE TO "_icloud" );
        RECORD TYPE Own ( f ASSET,
            GRANT CREATE TO "_icloud", GRANT READ, WRITE TO "_creator" );
        RECORD TYPE Team ( f ASSET, GRANT CREATE TO "_icloud", GRANT WRITE, READ TO "editor" );
        RECORD TYPE Box ( f ASSET, GRANT CREATE TO "_icloud" );
    """
  private static let types = ["Open", "Members", "Own", "Team", "Box"]
  private static let users = ["", "ann", "bob", "eve"]

  private static func asset(_ number: Int) -> Asset {
    Asset(checksum: [UInt8](repeating: UInt8(number), count: 32), size: UInt64(number))
  }

  private struct Named {
    let type: String
    let creator: String
    var asset: Int
  }

  private struct Model {
    var records: [String: Named] = [:]
    var uploads: Set<String> = []

    func mayRead(_ record: Named, _ user: String) -> Bool {
      switch record.type {
      case "Open": true
      case "Members": !user.isEmpty
      case "Own": record.creator == user
      case "Team": user == "eve"
      default: false
      }
    }

    func mayHave(_ asset: Int, _ user: String) -> Bool {
      uploads.contains("\(asset) \(user)")
        || records.values.contains { $0.asset == asset && mayRead($0, user) }
    }
  }

  private struct Store {
    let rows: AssetStore
    let database = DatabaseID(
      container: "c",
      environment: .development,
      scope: .public,
      owner: ""
    )
    func lookup() throws -> AssetLookup {
      try AssetLookup(rows.testDatabase.connect(readsOnly: true))
    }

    init() throws {
      rows = try AssetStore()
      try rows.commit { engine in
        _ = try engine.applySchema(PublicAssetTests.schema, to: "c", isDryRun: false)
        _ = try engine.createUser(.init("eve"))
        _ = try engine.assignRoles(["editor"], to: "eve")
      }
    }

    func modify(
      _ saves: [Record],
      delete: [RecordID] = [],
      by user: String
    ) throws -> ItemError? {
      let changes = RecordChanges(
        database: database,
        saves: saves,
        deletions: delete,
        policy: .allKeys
      )
      let outcomes = try rows.commit {
        try $0.modifyRecords(changes, caller: Caller(user: user, device: "d")).outcomes
      }
      if case .failed(_, let error, _)? = outcomes.first { return error }
      return nil
    }
  }

  private static func record(_ name: String, _ type: String, _ asset: Int) -> Record {
    Record(
      recordID: RecordID(recordName: name),
      recordType: type,
      fields: ["f": .asset(Self.asset(asset))]
    )
  }

  @Test("a user has what the user uploaded, and what a record names that the user may read")
  func random() throws {
    let seed = Seed.make("publicAssets")
    var random = SplitMix64(seed: seed)
    let store = try Store()
    let lookup = try store.lookup()
    var model = Model()
    var granted = 0
    for _ in 0..<600 {
      let (number, user) = (random.below(4), random.pick(Array(Self.users[1...])))
      switch random.below(10) {
      case 0:
        try store.rows.commit {
          try $0.addAsset(Self.asset(number), in: store.database, by: user)
        }
        model.uploads.insert("\(number) \(user)")
      case 1..<7:
        let name = "r\(random.below(8))"
        let type = model.records[name]?.type ?? random.pick(Self.types)
        if let old = model.records[name], old.type != "Members", old.creator != user { continue }
        // Who may create and not read a record cannot change it.
        if let old = model.records[name], !model.mayRead(old, user) || type == "Team" { continue }
        let mayHave =
          model.mayHave(number, user) || model.records[name]?.asset == number
        let error = try store.modify([Self.record(name, type, number)], by: user)
        try #require(error?.code == (mayHave ? nil : .assetNotAvailable), "seed \(seed)")
        guard mayHave else { continue }
        granted += 1
        let creator = model.records[name]?.creator ?? user
        model.records[name] = Named(type: type, creator: creator, asset: number)
      default:
        guard let (name, record) = model.records.randomElement(using: &random) else { continue }
        guard record.type == "Members" || record.type == "Own" || record.type == "Open" else {
          continue
        }
        _ = try store.modify([], delete: [RecordID(recordName: name)], by: record.creator)
        model.records[name] = nil
      }
      for user in Self.users {
        for number in 0..<4 {
          let row = try lookup.readableAsset(
            Self.asset(number).checksum,
            in: store.database,
            by: user
          )
          try #require(
            (row != nil) == model.mayHave(number, user),
            "seed \(seed): \(number) of \(user)"
          )
        }
      }
    }
    #expect(granted > 2, "seed \(seed)")
  }

  @Test("whose record it is counts where that was not noted when the record was saved")
  func oldReferences() throws {
    let store = try Store()
    try store.rows.commit { try $0.addAsset(Self.asset(1), in: store.database, by: "ann") }
    #expect(try store.modify([Self.record("a", "Own", 1)], by: "ann") == nil)
    try store.rows.execute("UPDATE asset_references SET creator = NULL")
    try store.rows.execute("DELETE FROM asset_uploads")
    let lookup = try store.lookup()
    let checksum = Self.asset(1).checksum
    #expect(try lookup.readableAsset(checksum, in: store.database, by: "ann") != nil)
    #expect(try lookup.readableAsset(checksum, in: store.database, by: "bob") == nil)
  }

  @Test("what a role gives goes with the role")
  func roles() throws {
    let store = try Store()
    try store.rows.commit { try $0.addAsset(Self.asset(1), in: store.database, by: "ann") }
    #expect(try store.modify([Self.record("a", "Team", 1)], by: "ann") == nil)
    let lookup = try store.lookup()
    let checksum = Self.asset(1).checksum
    #expect(try lookup.readableAsset(checksum, in: store.database, by: "eve") != nil)
    try store.rows.commit { _ = try $0.assignRoles([], to: "eve") }
    #expect(try lookup.readableAsset(checksum, in: store.database, by: "eve") == nil)
  }

  @Test("uploads are forgotten with the asset")
  func collection() throws {
    let store = try Store()
    try store.rows.commit { try $0.addAsset(Self.asset(1), in: store.database, by: "ann") }
    #expect(try store.rows.count("asset_uploads") == 1)
    store.rows.advance(by: AssetStore.retentionMilliseconds)
    try store.rows.commit { _ = try $0.doMaintenance() }
    #expect(try store.rows.count("asset_uploads") == 0)
  }

  @Test("a participant's dry run takes no asset along, and the save does")
  func adoptionIsDecidedWithoutWriting() throws {
    let store = try Store()
    let owners = DatabaseID(
      container: "c",
      environment: .development,
      scope: .private,
      owner: "ann"
    )
    let shared = DatabaseID(
      container: "c",
      environment: .development,
      scope: .shared,
      owner: "bob"
    )
    let zone = ZoneID(zoneName: "trip")
    var share = Record(
      recordID: RecordID(recordName: Share.zoneWideName, zoneID: zone),
      recordType: "cloudkit.share",
      fields: [:]
    )
    share.share = Share(rootRecordName: "", publicPermission: .readWrite)
    let ann = Caller(user: "ann", device: "d")
    let bob = Caller(user: "bob", device: "d")
    let url = try store.rows.commit { engine -> String in
      _ = try engine.saveZone(zone, in: owners, caller: ann)
      let saved = try engine.modifyRecords(
        RecordChanges(database: owners, saves: [share], deletions: [], policy: .allKeys),
        caller: ann
      ).outcomes[0]
      guard case .saved(let record) = saved else { throw WaitingFailure(description: "\(saved)") }
      try engine.addAsset(Self.asset(1), in: shared, by: "bob")
      return record.share?.url ?? ""
    }
    _ = try store.rows.commit { try $0.acceptShare(url, for: bob) }
    var record = Self.record("day", "Days", 1)
    record.recordID.zoneID = ZoneID(zoneName: "trip", ownerName: "ann")
    for isDryRun in [true, false] {
      var changes = RecordChanges(
        database: shared,
        saves: [record],
        deletions: [],
        policy: .allKeys
      )
      changes.isDryRun = isDryRun
      let outcome = try store.rows.commit { try $0.modifyRecords(changes, caller: bob) }.outcomes[0]
      guard case .saved = outcome else { throw WaitingFailure(description: "\(outcome)") }
      let expected: [[UInt8]: Int64] = isDryRun ? [:] : [Self.asset(1).checksum: 0]
      #expect(try store.rows.released("ann") == expected)
    }
  }
}
