internal import TidingsMatcher
internal import TidingsModel

/// What one call will write, decided before anything is written: an item that fails needs no undo.
struct RecordPlan {
  /// By record type, the kinds of fields.
  typealias Discovered = [String: [String: FieldValue.Kind]]

  /// Where an item that fails takes the others of its zone with it.
  let atomicity: Atomicity
  /// One outcome for each item of the call that is decided: they are, in the order of the call.
  private(set) var outcomes: [RecordOutcome] = []
  /// In the order of the call.
  private(set) var writes: [Write] = []
  /// The default zone, if it is to be made with the first record in it.
  var defaultZone: ZoneEntry?
  /// What the writes do to shares; a zone without shares has none.
  var sharing: [(zone: ZoneEntry, plan: SharingPlan)] = []
  /// The records whose items failed.
  var failed: [RecordID] {
    outcomes.compactMap { outcome in
      if case .failed(let recordID, _, _) = outcome { recordID } else { nil }
    }
  }
  /// The record types that get their first record with these writes, or new fields; and the types that
  /// fields without one take.
  private(set) var discovered: Discovered
  /// What goes along with the deletions, targets before their sources.
  var cascades: [ReferencePlan.Cascade] = []
  /// The query channels that some of them fire: by their places.
  var cascadeFirings: [Int: [Firing]] = [:]
  /// Versions that the call's conflicts may still look through.
  var ancestorSteps: Int
  /// Assets that no record named and that the writes name.
  private var redeemed: Set<[UInt8]> = []
  /// About how many entries of indexes the writes change.
  private(set) var entryCount = 0
  private let entryCountMax: Int
  /// Bytes of the records that go along.
  var cascadeBytes = 0
  /// Notifications at most that records of deleted zones still owe, which come before those of the writes.
  var owedFiringCount = 0
  /// The zone of each of these items.
  private var zones: [ZoneID] = []
  private var conflictBytes = 0
  private let conflictBytesMax: Int

  init(
    atomicity: Atomicity,
    limits: Limits,
    after discovered: Discovered = [:]
  ) {
    self.atomicity = atomicity
    self.discovered = discovered
    ancestorSteps = limits.ancestorStepsPerCallMax
    conflictBytesMax = limits.answerBytesMax
    entryCountMax = limits.indexEntriesPerCallMax
  }

  /// An item is decided, or decided again.
  private mutating func set(_ outcome: RecordOutcome, of item: Int, in zone: ZoneID) {
    if item == outcomes.count {
      outcomes.append(outcome)
      zones.append(zone)
    } else {
      outcomes[item] = outcome
      zones[item] = zone
    }
  }

  /// Counts the entries of indexes that a save changes; the first ones always have room.
  ///
  /// - Throws: `limitExceeded` when the call changes too many: everybody waits meanwhile.
  mutating func take(entries count: Int, of recordID: RecordID) throws(ItemError) {
    guard count > 0 else { return }
    guard entryCount == 0 || count <= entryCountMax - entryCount else {
      throw ItemError(
        .limitExceeded,
        "record '\(recordID.recordName)': the saves of this call would change more than "
          + "\(entryCountMax) entries of indexes: save fewer records in one call"
      )
    }
    entryCount += count
  }

  /// The writes name assets that no record named: each is paid for already, once.
  ///
  /// - Returns: Their bytes.
  mutating func redeem(_ assets: [Asset]) -> Int64 {
    assets.reduce(0) { bytes, asset in
      redeemed.insert(asset.checksum).inserted ? bytes + Int64(clamping: asset.size) : bytes
    }
  }

  /// The item will be written.
  mutating func write(_ write: Write, outcome: RecordOutcome) {
    if let item = write.item { set(outcome, of: item, in: write.zone.id) }
    writes.append(write)
    guard !write.discovery.isEmpty else { return }
    var fields = discovered[write.row.recordType, default: [:]]
    for (field, kind) in write.discovery.fields where kind != .unknownList { fields[field] = kind }
    discovered[write.row.recordType] = fields
  }

  /// The item succeeds without a write.
  mutating func succeed(_ item: Int, in zone: ZoneID, outcome: RecordOutcome) {
    set(outcome, of: item, in: zone)
  }

  /// The item fails.
  mutating func fail(_ item: Int, _ recordID: RecordID, _ error: ItemError) {
    set(.failed(recordID, error, .none), of: item, in: recordID.zoneID)
  }

  /// The item fails with a conflict, whose records are left out when all together are too large.
  mutating func fail(
    _ item: Int,
    _ recordID: RecordID,
    _ error: ItemError,
    _ conflict: ConflictRecords
  ) {
    var (error, conflict) = (error, conflict)
    if conflictBytes + conflict.byteCount > conflictBytesMax { conflict.ancestor = nil }
    if conflictBytes + conflict.byteCount > conflictBytesMax {
      conflict.server = nil
      error.message += " (it is omitted because the answer would be too large: fetch it)"
    }
    conflictBytes += conflict.byteCount
    set(.failed(recordID, error, conflict), of: item, in: recordID.zoneID)
  }

  /// Items that were to be written fail after all.
  mutating func fail(_ failures: [Int: ItemError]) {
    guard !failures.isEmpty else { return }
    for write in writes {
      guard let item = write.item, let error = failures[item] else { continue }
      fail(item, RecordID(recordName: write.name, zoneID: write.zone.id), error)
    }
    writes.removeAll { write in write.item.map { failures[$0] != nil } ?? false }
  }

  /// Writes that no item requests are decided again.
  mutating func removeFollowingWrites() { writes.removeAll { $0.item == nil } }

  /// References of a record that will be written do not keep their targets.
  mutating func loosen(_ references: Set<BindingReference>, ofWrite index: Int) {
    writes[index].looseReferences = references
  }

  /// A record that will be written gets other system fields.
  mutating func replace(_ index: Int, with record: Record, body: [UInt8]) {
    writes[index].new = record
    writes[index].row.body = body
    if let item = writes[index].item, case .saved = outcomes[item] {
      outcomes[item] = .saved(record)
    }
  }

  /// How often the changes fire query channels, as far as that is known already.
  var firingCount: Int {
    writes.reduce(0) { $0 + ($1.firings?.count ?? 0) }
      + cascadeFirings.values.reduce(0) { $0 + $1.count }
  }

  /// It is known which query channels a write fires.
  mutating func setFirings(_ firings: [Firing], at index: Int) { writes[index].firings = firings }

  /// Discards all writes to atomic zones in which an item failed: the others fail with
  /// `batchRequestFailed`, which names the culprit.
  mutating func applyAtomicity() {
    var culprits: [ZoneID: RecordID] = [:]
    for case .failed(let recordID, _, _) in outcomes
    where culprits[recordID.zoneID] == nil && atomicity.covers(recordID.zoneID) {
      culprits[recordID.zoneID] = recordID
    }
    guard !culprits.isEmpty else { return }
    writes.removeAll { culprits[$0.zone.id] != nil }
    for (item, outcome) in outcomes.enumerated() {
      guard let culprit = culprits[zones[item]], let recordID = outcome.innocentID else { continue }
      outcomes[item] = .failed(
        recordID,
        ItemError(
          .batchRequestFailed,
          "record '\(recordID.recordName)' was not changed because '\(culprit.recordName)' in the "
            + "same atomic batch failed: fix that one, or send the batch with atomic = false "
            + "(rpcctl --no-atomic)"
        ),
        .none
      )
    }
  }
}

extension RecordOutcome {
  /// The record, unless it failed.
  fileprivate var innocentID: RecordID? {
    switch self {
    case .saved(let record): record.recordID
    case .deleted(let recordID): recordID
    case .failed: nil
    }
  }
}
