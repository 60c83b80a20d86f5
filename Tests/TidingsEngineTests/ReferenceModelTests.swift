internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsEngine
internal import TidingsModel
internal import TidingsSQL

/// The engine does with references what the model does.
@Suite struct ReferenceModelTests {
  @Test("random graphs and batches end as the model says", arguments: 0..<TestDatabase.rounds(4))
  func randomBatches(round: Int) throws {
    let seed = Seed.make("randomBatches") &+ UInt64(round)
    var session = try ReferenceSession(seed: seed)
    for step in 0..<500 {
      try session.step()
      guard session.complaint.isEmpty else {
        Issue.record("seed \(seed), step \(step): \(session.complaint)")
        return
      }
    }
    // The run must have met what it is about.
    #expect(session.cascadeCount > 5, "seed \(seed)")
    for code in [ItemError.Code.referenceViolation, .limitExceeded, .batchRequestFailed] {
      #expect(session.seen.contains(code), "seed \(seed): \(code)")
    }
  }
}

/// An engine on a store, and the model beside it.
private struct ReferenceSession {
  private(set) var complaint = ""
  private(set) var cascadeCount = 0
  private(set) var seen: Set<ItemError.Code> = []

  private var random: SplitMix64
  private var model = ReferenceModel(ownersMax: 1)
  private let engine: Engine
  private let rows: StoredRows
  private static let database = DatabaseID(
    container: "default",
    environment: .development,
    scope: .private,
    owner: "ada"
  )
  private static let caller = Caller(user: "ada", device: "laptop")
  private static let ids = [ZoneID.default, ZoneID(zoneName: "attic")].flatMap { zone in
    (0..<9).map { RecordID(recordName: "r\($0)", zoneID: zone) }
  }

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    let store = try TestDatabase()
    var limits = Limits()
    limits.owningReferencesMax = 1
    limits.rememberedEntriesMax = 50
    engine = try Engine(
      store.connect(),
      limits: limits,
      clock: { ClockReading(undisturbed: Timestamp(millisecondsSince1970: 1)) }
    )
    rows = try StoredRows(store.connect(readsOnly: true))
    try engine.begin()
    _ = try engine.saveZone(
      ZoneID(zoneName: "attic"),
      in: Self.database,
      caller: Caller(user: "ada", device: "laptop")
    )
    // The field's type is fixed, so that a save can be bad for a reason of its own.
    var first = Record(recordID: RecordID(recordName: "first"), recordType: "T")
    first.fields["n"] = .int64(1)
    _ = try engine.modifyRecords(
      RecordChanges(database: Self.database, saves: [first], deletions: []),
      caller: Self.caller
    )
    _ = try engine.modifyRecords(
      RecordChanges(database: Self.database, saves: [], deletions: [first.recordID]),
      caller: Self.caller
    )
    _ = try engine.commit()
  }

  mutating func step() throws {
    let ids = Self.ids.shuffled(using: &random)
    let count = 1 + random.below(random.oneIn(3) ? 8 : 3)
    var (saves, deletions): ([ReferenceModel.Save], [RecordID]) = ([], [])
    for id in ids.prefix(count) {
      if random.below(5) < 2 { deletions.append(id) } else { saves.append(randomSave(id)) }
    }
    let isAtomic = random.oneIn(2)
    var changes = RecordChanges(
      database: Self.database,
      saves: saves.map(Self.record),
      deletions: deletions,
      policy: .allKeys,
      isAtomic: isAtomic
    )
    let what = "\(saves) -\(deletions) atomic \(isAtomic) in \(model.records)"
    let expected = model.modify(saves, delete: deletions, isAtomic: isAtomic)
    changes.isDryRun = true
    let before = try rows.all()
    try compare("dry \(what)", try run(changes), expected)
    compare("dry \(what): rows", try rows.all(), before)
    changes.isDryRun = false
    try compare(what, try run(changes), expected)
    compare("\(what): references", try rows.references(), expectedReferences())
    compare("\(what): records", try rows.living(), Set(model.records.keys.map(StoredRows.shown)))
    compare("\(what): tombstones", try rows.brokenTombstones(), 0)
    cascadeCount += expected.cascaded.count
    seen.formUnion(expected.codes.values)
  }

  private mutating func randomSave(_ id: RecordID) -> ReferenceModel.Save {
    var save = ReferenceModel.Save(id: id, links: [], isBad: random.oneIn(15))
    for _ in 0..<random.below(3) {
      let name = "r\(random.below(9))"
      let target = RecordID(recordName: name, zoneID: id.zoneID)
      let action: ReferenceModel.Action = random.pick([
        .deleteSelf, .deleteSelf, .validate, .parent,
      ])
      if action == .parent, save.links.contains(where: { $0.action == .parent }) { continue }
      save.links.insert(.init(action: action, target: target))
    }
    return save
  }

  private static func record(_ save: ReferenceModel.Save) -> Record {
    var record = Record(recordID: save.id, recordType: "T")
    func references(_ action: ReferenceModel.Action, _ sent: Reference.Action) -> FieldValue {
      .referenceList(
        save.links.filter { $0.action == action }.sorted {
          $0.target.recordName < $1.target.recordName
        }.map {
          Reference(recordID: $0.target, action: sent)
        }
      )
    }
    record.fields["own"] = references(.deleteSelf, .deleteSelf)
    record.fields["must"] = references(.validate, .validate)
    let parent = save.links.first { $0.action == .parent }?.target
    record.parent = Reference(recordID: parent ?? RecordID(recordName: ""))
    if save.isBad { record.fields["n"] = .string("not a number") }
    return record
  }

  private func run(_ changes: RecordChanges) throws -> ModifiedRecords {
    try engine.begin()
    let modified = try engine.modifyRecords(changes, caller: Self.caller)
    _ = try engine.commit()
    return modified
  }

  private mutating func compare(
    _ what: String,
    _ modified: ModifiedRecords,
    _ expected: ReferenceModel.Answer
  ) throws {
    var answer = ReferenceModel.Answer()
    for case .failed(let id, let error, _) in modified.outcomes { answer.codes[id] = error.code }
    answer.cascaded = Set(modified.cascadedDeletions.map(\.recordID))
    compare(what, answer, expected)
    compare("\(what): once", answer.cascaded.count, modified.cascadedDeletions.count)
    var gone: Set<RecordID> = []
    for case .deleted(let id) in modified.outcomes { gone.insert(id) }
    for deletion in modified.cascadedDeletions {
      compare("\(what): \(deletion) before its target", gone.contains(deletion.target), true)
      gone.insert(deletion.recordID)
    }
  }

  private mutating func compare<Value: Equatable>(_ what: String, _ value: Value, _ expected: Value)
  {
    guard value != expected, complaint.isEmpty else { return }
    complaint = "\(what)\nengine: \(value)\nmodel: \(expected)"
  }

  private func expectedReferences() -> Set<String> {
    var result: Set<String> = []
    for (source, links) in model.records {
      for link in links {
        result.insert(
          "\(StoredRows.shown(source)) \(link.action.rawValue) \(link.target.recordName)"
        )
      }
    }
    return result
  }
}

/// What the store's tables hold, through a connection of its own.
private final class StoredRows {
  private let connection: any SQLConnection

  init(_ connection: any SQLConnection) { self.connection = connection }

  static func shown(_ id: RecordID) -> String { "\(id.zoneID.zoneName)/\(id.recordName)" }

  func references() throws -> Set<String> {
    try strings(
      """
      SELECT z.name || '/' || source || ' ' || kind || ' ' || target
      FROM record_references JOIN zones z ON z.id = zone_id
      """
    )
  }

  func living() throws -> Set<String> {
    try strings(
      """
      SELECT z.name || '/' || records.name FROM records JOIN zones z ON z.id = zone_id
      WHERE body IS NOT NULL
      """
    )
  }

  func brokenTombstones() throws -> Int {
    try strings("SELECT name FROM records WHERE (body IS NULL) <> (deleted IS NOT NULL)").count
  }

  /// Everything that a call may write.
  func all() throws -> Set<String> {
    try strings(
      """
      SELECT 'r' || zone_id || name || sequence || ' ' || position FROM records
      UNION ALL SELECT 'z' || id || ' ' || head || ' ' || changed FROM zones
      UNION ALL SELECT 'a' || max(id) FROM ancestors
      UNION ALL SELECT 'f' || record_type || field || kind FROM field_types
      """
    ).union(try references())
  }

  private func strings(_ sql: String) throws -> Set<String> {
    let statement = try connection.prepare(sql)
    var found: Set<String> = []
    try statement.forEachRow { found.insert(statement.string(0)) }
    return found
  }
}
