internal import TidingsModel

/// What one call will write, decided before anything is written: an item that fails needs no undo.
struct RecordPlan {
  /// One row to write.
  struct Write {
    /// The item's place in the call: the saves, then the deletions.
    var item: Int
    var zone: ZoneEntry
    var name: String
    var row: RecordTable.Row
    /// A row, alive or a tombstone, is there.
    var replacesRow: Bool
    /// The record before; `nil` for a creation.
    var old: Record?
    /// The record after; `nil` for a deletion.
    var new: Record?
    var discovery: SchemaDiscovery
  }

  /// One outcome for each item of the call.
  private(set) var outcomes: [RecordOutcome?]
  /// In the order of the call.
  private(set) var writes: [Write] = []
  /// The record types that get their first record with these writes, or new fields; and the types that
  /// fields without one take.
  private(set) var discovered: [String: [String: FieldValue.Kind]] = [:]
  private var zones: [ZoneID?]

  init(itemCount: Int) {
    outcomes = Array(repeating: nil, count: itemCount)
    zones = Array(repeating: nil, count: itemCount)
  }

  /// The item will be written.
  mutating func write(_ write: Write, outcome: RecordOutcome) {
    zones[write.item] = write.zone.id
    outcomes[write.item] = outcome
    writes.append(write)
    guard !write.discovery.isEmpty else { return }
    var fields = discovered[write.row.recordType, default: [:]]
    for (field, kind) in write.discovery.fields where kind != .unknownList { fields[field] = kind }
    discovered[write.row.recordType] = fields
  }

  /// The item succeeds without a write.
  mutating func succeed(_ item: Int, in zone: ZoneID, outcome: RecordOutcome) {
    zones[item] = zone
    outcomes[item] = outcome
  }

  /// The item fails.
  mutating func fail(
    _ item: Int,
    _ recordID: RecordID,
    _ error: ItemError,
    serverRecord: [UInt8]? = nil
  ) {
    zones[item] = recordID.zoneID
    outcomes[item] = .failed(recordID, error, serverRecord: serverRecord)
  }

  /// Takes back all writes to zones in which an item failed: the innocent fail with
  /// `batchRequestFailed`, which names the culprit.
  mutating func applyAtomicity() {
    var culprits: [ZoneID: RecordID] = [:]
    for case .failed(let recordID, _, _) in outcomes where culprits[recordID.zoneID] == nil {
      culprits[recordID.zoneID] = recordID
    }
    guard !culprits.isEmpty else { return }
    writes.removeAll { culprits[$0.zone.id] != nil }
    for (item, outcome) in outcomes.enumerated() {
      guard let zone = zones[item], let culprit = culprits[zone], let recordID = outcome?.innocentID
      else { continue }
      outcomes[item] = .failed(
        recordID,
        ItemError(
          .batchRequestFailed,
          "record '\(recordID.recordName)' was not changed because '\(culprit.recordName)' in the "
            + "same atomic batch failed: mend that one, or send the batch with atomic = false"
        ),
        serverRecord: nil
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
