/// Records that are saved, or deleted, by one call.
struct ImportBatch: Sendable {
  /// The number of the batch in a run, from 0.
  let number: Int
  /// The batch contains deletions, and no saves: their results are ordered separately.
  var isDeletion = false
  /// The records, each a field `records_to_save` or `record_ids_to_delete` of the request.
  var bytes: [UInt8] = []
  /// The end of each record in `bytes`.
  private(set) var ends: [Int] = []
  /// The line of each record.
  private(set) var lines: [Int] = []
  /// The records' names, hashed; `nil` for new ones.
  private(set) var nameHashes: [UInt64?] = []
  /// The same as a set; concurrent batches have no name in common.
  private(set) var names: Set<UInt64> = []
  /// Invalid lines between the records.
  var failedLineCount = 0
  /// Zones that appear for the first time.
  var newZoneNames: [[UInt8]] = []
  /// The position in the file after the batch.
  var endOffset: Int
  /// The last line of the batch.
  var endLine: Int

  init(number: Int, endOffset: Int, endLine: Int) {
    self.number = number
    self.endOffset = endOffset
    self.endLine = endLine
  }

  var count: Int { ends.count }

  /// The batch already has a record of this name, which must not be in one call twice.
  func contains(_ name: UInt64?) -> Bool { name.map(names.contains) ?? false }

  /// Adds a record that was appended to `bytes`.
  mutating func note(line: Int, name: UInt64?) {
    ends.append(bytes.count)
    lines.append(line)
    nameHashes.append(name)
    if let name { names.insert(name) }
  }

  /// The bytes of a record.
  func record(_ index: Int) -> ArraySlice<UInt8> {
    bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }

  /// A hash of the bytes.
  var contentHash: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return String(hash, radix: 36)
  }

  /// A part of the batch, for a call of its own.
  func part(_ range: Range<Int>) -> ImportBatch {
    var part = ImportBatch(number: number, endOffset: endOffset, endLine: endLine)
    part.isDeletion = isDeletion
    for index in range {
      part.bytes += record(index)
      part.note(line: lines[index], name: nameHashes[index])
    }
    return part
  }
}

/// The result of a batch.
struct ImportOutcome: Sendable {
  /// A record that was not saved.
  struct Failure: Sendable {
    let line: Int
    let reason: ImportFailure
    /// The record as it was sent.
    let bytes: [UInt8]
    let nameHash: UInt64?
  }

  let batch: ImportBatch
  let failures: [Failure]

  /// The number of records that were saved or deleted.
  var doneCount: Int { batch.count - failures.count }
}
