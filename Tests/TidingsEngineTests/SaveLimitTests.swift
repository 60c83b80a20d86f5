internal import EngineTestSupport
internal import TestSupport
internal import Testing
internal import TidingsEngine
internal import TidingsModel
internal import TidingsSQL

/// Limits of saves that are too large to reach through a server, and what is forgotten with time.
@Suite struct SaveLimitTests {
  private let store: TestDatabase
  private let ada = Caller(user: "ada", device: "laptop")
  private let database = DatabaseID(
    container: "default",
    environment: .development,
    scope: .private,
    owner: "ada"
  )

  init() throws { store = try TestDatabase() }

  private func engine(
    at milliseconds: Int64 = 1,
    _ change: (inout Limits) -> Void = { _ in }
  ) throws -> Engine {
    var limits = Limits()
    change(&limits)
    return try Engine(
      store.connect(),
      limits: limits,
      clock: { ClockReading(undisturbed: Timestamp(millisecondsSince1970: milliseconds)) }
    )
  }

  private func group<Result>(_ engine: Engine, _ body: () throws -> Result) throws -> Result {
    try engine.begin()
    let result = try body()
    _ = try engine.commit()
    return result
  }

  private func record(_ name: String, owner target: String? = nil) -> Record {
    var record = Record(recordID: RecordID(recordName: name), recordType: "T")
    if let target {
      record.fields["owner"] = .reference(
        Reference(recordID: RecordID(recordName: target), action: .deleteSelf)
      )
    }
    return record
  }

  private func changes(_ saves: [Record] = [], delete names: [String] = []) -> RecordChanges {
    RecordChanges(
      database: database,
      saves: saves,
      deletions: names.map { RecordID(recordName: $0) },
      policy: .allKeys
    )
  }

  private func errors(_ modified: ModifiedRecords) -> [ItemError] {
    modified.outcomes.compactMap { outcome in
      if case .failed(_, let error, _) = outcome { error } else { nil }
    }
  }

  private func count(_ sql: String) throws -> Int64 {
    let statement = try store.connect(readsOnly: true).prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(0) : 0
  }

  @Test("a database has at most so many zones; one that goes makes room, one that exists stays")
  func zones() throws {
    let engine = try engine { $0.zonesPerDatabaseMax = 2 }
    func save(_ name: String) throws -> ItemError? {
      do {
        _ = try group(engine) {
          try engine.saveZone(
            ZoneID(zoneName: name),
            in: database,
            caller: Caller(user: "ada", device: "laptop")
          )
        }
        return nil
      } catch let error as ItemError {
        _ = try engine.commit()
        return error
      }
    }
    _ = try group(engine) { try engine.modifyRecords(changes([record("r")]), caller: ada) }
    #expect(try save("a") == nil)
    #expect(try save("b") == nil)
    let error = try #require(try save("c"))
    #expect(error.code == .limitExceeded)
    #expect(error.message.contains("'c'") && error.message.contains("2"), "\(error)")
    #expect(try save("a") == nil)
    try group(engine) {
      try engine.deleteZone(ZoneID(zoneName: "a"), in: database, because: .deleted, caller: ada)
    }
    #expect(try save("c") == nil)
    #expect(try save("d")?.code == .limitExceeded)
    #expect(try save("_defaultZone") == nil)
  }

  @Test("a call cascades to at most so many records, and changes nothing when it would take more")
  func cascades() throws {
    let engine = try engine { $0.cascadedDeletionsMax = 3 }
    let saves = [record("t")] + (0..<4).map { record("r\($0)", owner: "t") }
    _ = try group(engine) { try engine.modifyRecords(changes(saves), caller: ada) }
    let refused = try group(engine) {
      try engine.modifyRecords(changes(delete: ["t"]), caller: ada)
    }
    #expect(errors(refused).map(\.code) == [.limitExceeded])
    #expect(refused.cascadedDeletions.isEmpty)
    #expect(try count("SELECT count(*) FROM records WHERE body IS NOT NULL") == 5)
    _ = try group(engine) { try engine.modifyRecords(changes(delete: ["r0"]), caller: ada) }
    let done = try group(engine) { try engine.modifyRecords(changes(delete: ["t"]), caller: ada) }
    #expect(done.cascadedDeletions.count == 3)
    #expect(try count("SELECT count(*) FROM records WHERE body IS NOT NULL") == 0)
    #expect(try count("SELECT count(*) FROM record_references") == 0)
  }

  @Test("a record binds itself to at most so many others")
  func bindingReferences() throws {
    let engine = try engine { $0.bindingReferencesPerRecordMax = 2 }
    var record = record("r")
    for name in ["a", "b", "c"] {
      record.fields[name] = .reference(
        Reference(recordID: RecordID(recordName: name), action: .deleteSelf)
      )
    }
    let error = errors(
      try group(engine) { try engine.modifyRecords(changes([record]), caller: ada) }
    ).first
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("'r' has 3") == true, "\(String(describing: error))")
    record.fields["c"] = nil
    let saved = try group(engine) { try engine.modifyRecords(changes([record]), caller: ada) }
    #expect(errors(saved).isEmpty)
  }

  @Test("a conflict looks through few versions, all conflicts of a call together")
  func ancestorSteps() throws {
    let engine = try engine { $0.ancestorStepsPerCallMax = 5 }
    for _ in 0..<4 {
      _ = try group(engine) {
        try engine.modifyRecords(changes([record("a"), record("b")]), caller: ada)
      }
    }
    var stale = ["a", "b"].map { record($0) }
    for index in stale.indices { stale[index].changeTag = "1" }
    var conflicting = changes(stale)
    conflicting.policy = .ifServerRecordUnchanged
    let modified = try group(engine) { try engine.modifyRecords(conflicting, caller: ada) }
    let ancestors = modified.outcomes.map { outcome -> Bool in
      if case .failed(_, _, let conflict) = outcome { conflict.ancestor != nil } else { false }
    }
    #expect(ancestors == [true, false])
  }

  @Test(
    "a mark is kept with the number of its save, for each zone that changed, until it is too old"
  )
  func clientTokens() throws {
    let engine = try engine(at: 1000)
    let attic = ZoneID(zoneName: "attic")
    _ = try group(engine) {
      try engine.saveZone(attic, in: database, caller: Caller(user: "ada", device: "laptop"))
    }
    for token: [UInt8] in [[1], [2, 2], []] {
      var both = changes([record("r")])
      var other = record("x")
      other.recordID.zoneID = attic
      if token != [2, 2] { both.saves.append(other) }
      both.clientChangeToken = token
      _ = try group(engine) { try engine.modifyRecords(both, caller: ada) }
    }
    let rows = "SELECT sum(sequence * 1000 + length(token) * 100 + saved / 1000) FROM client_tokens"
    #expect(try count(rows) == 2000 + 200 + 1 + 1000 + 100 + 1)
    #expect(try count("SELECT count(*) FROM client_tokens WHERE device = 'laptop'") == 2)

    let day: Int64 = 86_400_000
    let later = try self.engine(at: 89 * day)
    _ = try group(later) { try later.doMaintenance() }
    #expect(try count("SELECT count(*) FROM client_tokens") == 2)
    let muchLater = try self.engine(at: 91 * day)
    _ = try group(muchLater) { try muchLater.doMaintenance() }
    #expect(try count("SELECT count(*) FROM client_tokens") == 0)
  }

  @Test("a mark goes with its zone")
  func clientTokensOfDeletedZone() throws {
    let engine = try engine()
    let attic = ZoneID(zoneName: "attic")
    _ = try group(engine) {
      try engine.saveZone(attic, in: database, caller: Caller(user: "ada", device: "laptop"))
    }
    var saved = record("r")
    saved.recordID.zoneID = attic
    var sent = changes([saved])
    sent.clientChangeToken = [1]
    _ = try group(engine) { try engine.modifyRecords(sent, caller: ada) }
    #expect(try count("SELECT count(*) FROM client_tokens") == 1)
    try group(engine) {
      try engine.deleteZone(attic, in: database, because: .deleted, caller: ada)
    }
    #expect(try count("SELECT count(*) FROM client_tokens") == 0)
  }

  @Test("a deletion says when it was, a record that is there does not")
  func tombstones() throws {
    let engine = try engine(at: 5000)
    let deleted = "SELECT coalesce(max(deleted), -1) FROM records"
    _ = try group(engine) { try engine.modifyRecords(changes([record("r")]), caller: ada) }
    #expect(try count(deleted) == -1)
    _ = try group(engine) { try engine.modifyRecords(changes(delete: ["r"]), caller: ada) }
    #expect(try count(deleted) == 5000)
    _ = try group(engine) { try engine.modifyRecords(changes([record("r")]), caller: ada) }
    #expect(try count(deleted) == -1)
  }
}
