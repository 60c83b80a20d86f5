internal import EngineTestSupport
internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel
internal import TidingsSQL

@testable internal import TidingsEngine

/// What users take, counted, and what they may not exceed.
@Suite struct UsageTests {
  /// An engine with a look at its rows.
  private final class Store {
    private let connection: any SQLConnection
    private(set) var engine: Engine
    private let limits: Limits

    init(_ change: (inout Limits) -> Void = { _ in }) throws {
      var limits = Limits()
      change(&limits)
      self.limits = limits
      connection = try TestDatabase().connect()
      engine = try Self.open(connection, limits)
    }

    func restart() throws { engine = try Self.open(connection, limits) }

    func commit<R>(_ body: (Engine) throws -> R) throws -> R {
      try engine.begin()
      let result = try body(engine)
      _ = try engine.commit()
      return result
    }

    func execute(_ sql: String) throws { try connection.execute(sql) }

    func modify(
      _ saves: [Record],
      delete names: [String] = [],
      in database: DatabaseID,
      isAtomic: Bool = true
    ) throws -> [RecordOutcome] {
      try engine.modifyRecords(
        RecordChanges(
          database: database,
          saves: saves,
          deletions: names.map { RecordID(recordName: $0) },
          policy: .allKeys,
          isAtomic: isAtomic
        ),
        caller: Caller(user: "ada", device: "laptop")
      ).outcomes
    }

    /// What is counted, and what there is, as text.
    func counted() throws -> [String] {
      try rows(
        """
        SELECT owner, container, records, bytes FROM usage WHERE records > 0 OR bytes > 0
        ORDER BY 1, 2
        """
      )
    }

    func recounted() throws -> [String] {
      try rows(
        """
        SELECT owner, container, sum(records), sum(bytes) FROM (
          SELECT d.owner, d.container, count(*) AS records, sum(length(r.body) + coalesce((
            SELECT sum(a.size) FROM asset_references x
            JOIN assets a ON a.database_id = x.database_id AND a.checksum = x.checksum
            WHERE x.zone_id = r.zone_id AND x.name = r.name
          ), 0)) AS bytes
          FROM records r JOIN zones z ON z.id = r.zone_id JOIN databases d ON d.id = z.database_id
          WHERE r.body IS NOT NULL GROUP BY d.id
          UNION ALL
          SELECT d.owner, d.container, 0, sum(length(r.name) + length(r.record_type))
          FROM records r
          LEFT JOIN zones z ON z.id = r.zone_id LEFT JOIN zone_removals m ON m.zone_id = r.zone_id
          JOIN databases d ON d.id = coalesce(z.database_id, m.database_id)
          WHERE r.body IS NULL GROUP BY d.id
          UNION ALL
          SELECT a.payer, d.container, 0, sum(a.size)
          FROM assets a JOIN databases d ON d.id = a.database_id
          WHERE a.released IS NOT NULL AND a.payer IS NOT NULL GROUP BY a.payer, d.container
          UNION ALL
          SELECT d.owner, d.container, 0,
            sum(length(e.body) + length(e.origin_user) + length(e.origin_device) + 96)
          FROM events e JOIN channels c ON c.id = e.channel_id
          JOIN databases d ON d.id = c.database_id GROUP BY d.id
          UNION ALL
          SELECT d.owner, d.container, 0, sum(length(e.body) + 96)
          FROM event_contents e JOIN databases d ON d.id = e.database_id GROUP BY d.id
          UNION ALL
          SELECT d.owner, d.container, 0, sum(2 * length(z.name) + 96) FROM (
            SELECT database_id, name FROM zones WHERE name <> '_defaultZone'
            UNION ALL SELECT database_id, name FROM deleted_zones
          ) z JOIN databases d ON d.id = z.database_id GROUP BY d.id
          UNION ALL
          SELECT owner, container, 0, sum(2 * length(body) + 256) FROM subscriptions
          GROUP BY owner, container
        ) AS counts GROUP BY owner, container HAVING sum(records) > 0 OR sum(bytes) > 0 ORDER BY 1, 2
        """
      )
    }

    /// What the counts of zones say, where they differ from the records.
    func miscounted() throws -> [String] {
      try rows(
        """
        SELECT z.name, '', z.records, z.bytes FROM zones z
        WHERE z.records <> (
          SELECT count(*) FROM records r WHERE r.zone_id = z.id AND r.body IS NOT NULL
        ) OR z.bytes <> (
          SELECT coalesce(sum(length(r.body)), 0) FROM records r WHERE r.zone_id = z.id
        ) + (
          SELECT coalesce(sum(a.size), 0) FROM asset_references x
          JOIN assets a ON a.database_id = x.database_id AND a.checksum = x.checksum
          WHERE x.zone_id = z.id
        )
        """
      )
    }

    private func rows(_ sql: String) throws -> [String] {
      let statement = try connection.prepare(sql)
      var rows: [String] = []
      try statement.forEachRow {
        rows.append(
          "\(statement.string(0))/\(statement.string(1)): \(statement.int64(2)) with "
            + "\(statement.int64(3))"
        )
      }
      return rows
    }

    private static func open(_ connection: any SQLConnection, _ limits: Limits) throws -> Engine {
      // The size of a record depends on its times: that of nanoseconds varies.
      let time = Timestamp(millisecondsSince1970: 1_700_000_000_000)
      return try Engine(connection, limits: limits) { ClockReading(undisturbed: time) }
    }
  }

  private static func database(
    _ owner: String,
    container: String = "default",
    _ environment: Environment = .development
  ) -> DatabaseID {
    DatabaseID(
      container: container,
      environment: environment,
      scope: owner.isEmpty ? .public : .private,
      owner: owner
    )
  }

  private static func record(
    _ name: String,
    zone: ZoneID = .default,
    text: String = "",
    assets: [Int] = [],
    owner: String? = nil
  ) -> Record {
    var record = Record(
      recordID: RecordID(recordName: name, zoneID: zone),
      recordType: "T",
      fields: ["text": .string(text)]
    )
    if !assets.isEmpty { record.fields["assets"] = .assetList(assets.map(asset)) }
    if let owner {
      record.fields["owner"] = .reference(
        Reference(recordID: RecordID(recordName: owner, zoneID: zone), action: .deleteSelf)
      )
    }
    return record
  }

  private static func asset(_ number: Int) -> Asset {
    Asset(checksum: [UInt8](repeating: UInt8(number), count: 32), size: UInt64(number * 1000))
  }

  private func errors(_ outcomes: [RecordOutcome]) -> [ItemError.Code?] {
    outcomes.map { if case .failed(_, let error, _) = $0 { error.code } else { nil } }
  }

  // MARK: Counting

  @Test("what is counted is what a recount finds")
  func countsExactly() throws {
    let seed = Seed.make("UsageTests.countsExactly")
    var random = SplitMix64(seed: seed)
    let store = try Store()
    let databases = [
      Self.database("ada"), Self.database("ada", container: "other"), Self.database("bob"),
      Self.database(""),
    ]
    try store.commit { engine in
      for database in databases {
        for number in 1...4 { try engine.addAsset(Self.asset(number), in: database, by: "ada") }
      }
    }
    for round in 0..<150 {
      let database = databases.randomElement(using: &random) ?? databases[0]
      let zone =
        database.scope == DatabaseScope.public || Bool.random(using: &random)
        ? ZoneID.default : ZoneID(zoneName: "z\(Int.random(in: 0..<2, using: &random))")
      try store.engine.begin()
      if zone != .default {
        _ = try store.engine.saveZone(zone, in: database, caller: Self.ada)
      }
      let saves = (0..<4).shuffled(using: &random).prefix(3).map { number in
        Self.record(
          "r\(number)",
          zone: zone,
          text: String(repeating: "x", count: Int.random(in: 0..<50, using: &random)),
          assets: (1...4).filter { _ in Int.random(in: 0..<4, using: &random) == 0 },
          owner: number > 0 && Bool.random(using: &random) ? "r\(number - 1)" : nil
        )
      }
      _ = try store.engine.modifyRecords(
        RecordChanges(
          database: database,
          saves: Bool.random(using: &random) ? saves : [],
          deletions: (4..<6).map { RecordID(recordName: "r\($0 - 4)", zoneID: zone) }
            .filter { id in !saves.contains { $0.recordID == id } },
          policy: .allKeys,
          isAtomic: Bool.random(using: &random)
        ),
        caller: Self.ada
      )
      if zone != .default, Int.random(in: 0..<8, using: &random) == 0 {
        try store.engine.deleteZone(zone, in: database, because: .deleted, caller: Self.ada)
      }
      if Int.random(in: 0..<5, using: &random) == 0 {
        store.engine.rollback()
      } else {
        _ = try store.engine.commit()
      }
      if Int.random(in: 0..<20, using: &random) == 0 { try store.restart() }
      #expect(try store.counted() == store.recounted(), "seed \(seed), round \(round)")
      #expect(try store.miscounted() == [], "seed \(seed), round \(round)")
    }
    #expect(try store.counted().count >= 3, "seed \(seed)")
    let usage = try store.commit { engine in
      try engine.usage(of: "ada").map { "ada/\($0.container): \($0.usage.records)" }
    }
    let prefixes = try store.recounted().filter { $0.hasPrefix("ada/") }
      .map { String($0.prefix { $0 != "w" }.dropLast()) }
    #expect(prefixes.allSatisfy(usage.contains), "seed \(seed)")
  }

  private static let ada = Caller(user: "ada", device: "laptop")

  // MARK: Quotas

  @Test("at the quota of records saves and deletions go on, creations do not")
  func recordQuota() throws {
    let store = try Store { $0.recordsPerUserMax = 2 }
    let ada = Self.database("ada")
    try store.commit { _ in
      #expect(
        try errors(store.modify(["a", "b"].map { Self.record($0) }, in: ada)) == [nil, nil]
      )
      let outcomes = try store.modify([Self.record("c")], in: ada)
      guard case .failed(_, let error, _) = outcomes[0] else {
        Issue.record("the third record was saved")
        return
      }
      #expect(error.code == .quotaExceeded)
      for word in ["'c'", "2 records of at most 2", "in all containers", "delete records"] {
        #expect(error.message.contains(word), "\(error.message)")
      }
      // Larger ones are no more ones.
      let longer = Self.record("a", text: String(repeating: "x", count: 1000))
      #expect(try errors(store.modify([longer], in: ada)) == [nil])
      // What a call frees is there for its saves.
      #expect(
        try errors(store.modify([Self.record("c")], delete: ["a"], in: ada)) == [nil, nil]
      )
      #expect(
        try errors(store.modify([Self.record("d"), Self.record("b")], in: ada, isAtomic: false))
          == [.quotaExceeded, nil]
      )
      #expect(
        try errors(store.modify([Self.record("d"), Self.record("b")], in: ada))
          == [.quotaExceeded, .batchRequestFailed]
      )
      // It is one quota for all containers; other users have their own.
      let other = Self.database("ada", container: "other")
      #expect(try errors(store.modify([Self.record("c")], in: other)) == [.quotaExceeded])
      #expect(try errors(store.modify([Self.record("c")], in: Self.database("bob"))) == [nil])
      #expect(try errors(store.modify([Self.record("c")], in: Self.database(""))) == [nil])
    }
    #expect(try store.counted() == store.recounted())
  }

  @Test("at the quota of bytes, which assets count for, records may shrink and go")
  func byteQuota() throws {
    let store = try Store { $0.bytesPerUserMax = 5_000 }
    let ada = Self.database("ada")
    try store.commit { engine in
      try engine.addAsset(Self.asset(3), in: ada, by: "ada")
      #expect(try errors(store.modify([Self.record("a", assets: [3])], in: ada)) == [nil])
      let large = String(repeating: "x", count: 3_000)
      #expect(
        try errors(store.modify([Self.record("b", text: large)], in: ada)) == [.quotaExceeded]
      )
      let error = #expect(throws: ItemError.self) {
        try engine.addAsset(Self.asset(4), in: ada, by: "ada")
      }
      #expect(error?.code == .quotaExceeded)
      var lighter = Self.record("a", text: String(repeating: "x", count: 2_900))
      lighter.fields["assets"] = .assetList([])
      #expect(try errors(store.modify([lighter], in: ada)) == [nil])
      #expect(try errors(store.modify([], delete: ["a"], in: ada)) == [nil])
      #expect(try errors(store.modify([Self.record("b", text: large)], in: ada)) == [nil])
    }
    #expect(try store.counted() == store.recounted())
  }

  @Test("a lowered quota refuses growth only")
  func loweredQuota() throws {
    let store = try Store()
    let ada = Self.database("ada")
    try store.commit { engine in
      _ = try store.modify(["a", "b", "c"].map { Self.record($0, text: "long") }, in: ada)
    }
    try store.execute("INSERT INTO accounts (user, display_name, created) VALUES ('ada', '', 0)")
    try store.commit { engine in
      try engine.setQuota(Quota(recordsMax: 1, bytesMax: 10, subscriptionsMax: 1), of: "ada")
      #expect(try engine.quota(of: "ada").bytesMax == 10)
      #expect(try engine.quota(of: "bob") == Limits().userQuota)
      #expect(try errors(store.modify([Self.record("a", text: "xyz")], in: ada)) == [nil])
      #expect(
        try errors(store.modify([Self.record("a", text: "xyzz")], in: ada)) == [.quotaExceeded]
      )
      #expect(
        try errors(store.modify([Self.record("a", text: "abc")], in: ada)) == [.quotaExceeded]
      )
      #expect(
        try errors(store.modify([Self.record("d", text: "long")], delete: ["a"], in: ada))
          == [.quotaExceeded, .batchRequestFailed]
      )
      // The call as a whole leaves less.
      #expect(
        try errors(store.modify([Self.record("d")], delete: ["a"], in: ada)) == [nil, nil]
      )
      #expect(try errors(store.modify([], delete: ["d", "b"], in: ada)) == [nil, nil])
      try engine.setQuota(nil, of: "ada")
      #expect(try errors(store.modify([Self.record("e")], in: ada)) == [nil])
    }
    try store.restart()
    #expect(try store.engine.quota(of: "ada") == Limits().userQuota)
  }

  @Test("room that a refused deletion would have freed is nobody's")
  func refusedDeletion() throws {
    let store = try Store { $0.recordsPerUserMax = 2 }
    let ada = Self.database("ada")
    var source = Self.record("source")
    source.fields["target"] = .reference(
      Reference(recordID: RecordID(recordName: "target"), action: .validate)
    )
    let saved = try store.commit { _ in
      try store.modify([Self.record("target"), source], in: ada)
    }
    #expect(errors(saved) == [nil, nil])
    try store.engine.begin()
    let error = #expect(throws: ItemError.self) {
      try store.modify([Self.record("new")], delete: ["target"], in: ada, isAtomic: false)
    }
    #expect(error?.code == .quotaExceeded)
    store.engine.rollback()
    #expect(try store.counted() == store.recounted())
  }
}
