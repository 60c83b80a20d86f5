internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsWire

/// Splits a file into batches, which depend only on the file and on `countMax`.
struct BatchReader {
  /// Most records of a batch.
  let countMax: Int
  private let report: ImportReport
  private var reader: LineReader
  private var encoder: RecordLineEncoder
  private var nextNumber: Int
  /// A record that was read, but belongs to the next batch.
  private var carried: Item?
  private var zonesSeen: Set<[UInt8]> = []
  private var lastZone: [UInt8] = []
  private var hasHeader = false
  private var hasEnd = false

  private struct Item {
    var bytes: [UInt8]
    var nameHash: UInt64?
    var line: Int
    var endOffset: Int
    var zoneName: [UInt8]
    var isDeletion: Bool
  }

  init(
    _ reader: LineReader,
    zoneName: String,
    countMax: Int,
    firstNumber: Int,
    report: ImportReport
  ) {
    self.reader = reader
    self.countMax = countMax
    self.report = report
    encoder = RecordLineEncoder(zoneName: zoneName)
    nextNumber = firstNumber
  }

  /// Reads the next batch; `nil` at the end of the file.
  mutating func next() throws -> ImportBatch? {
    var batch = ImportBatch(number: nextNumber, endOffset: reader.offset, endLine: reader.number)
    if let item = carried {
      carried = nil
      batch.isDeletion = item.isDeletion
      batch.bytes = item.bytes
      note(item.zoneName, in: &batch)
      batch.note(line: item.line, name: item.nameHash)
      (batch.endOffset, batch.endLine) = (item.endOffset, item.line)
    }
    while batch.count < countMax, carried == nil, let line = try reader.next() {
      switch line {
      case .tooLong:
        try fail(&batch, "the line is longer than \(LineReader.lineBytesMax) bytes")
      case .text(let range): try read(range, into: &batch)
      }
      guard carried == nil else { break }
      (batch.endOffset, batch.endLine) = (reader.offset, reader.number)
    }
    let isAtEnd = batch.count == 0 && batch.failedLineCount == 0 && batch.newZoneNames.isEmpty
    if isAtEnd { return nil }
    nextNumber += 1
    return batch
  }

  private mutating func read(_ range: Range<Int>, into batch: inout ImportBatch) throws {
    if TransferMarker.isMarker(reader.buffer, range) { return try readMarker(range, into: &batch) }
    if reader.buffer[range].allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return }
    let start = batch.bytes.count
    let encoded: RecordLineEncoder.Encoded
    do {
      encoded = try encoder.encode(reader.buffer, range, into: &batch.bytes)
    } catch let error as JSONSyntaxError {
      return try fail(&batch, "invalid JSON, column \(error.column): \(error.reason)")
    } catch {
      return try fail(&batch, "\(error)")
    }
    let count = batch.bytes.count - start
    if count > Importer.batchBytesMax {
      batch.bytes.removeSubrange(start...)
      return try fail(&batch, "the record has \(count) bytes, which exceeds the limit of a call")
    }
    if batch.isDeletion || batch.contains(encoded.nameHash)
      || batch.bytes.count > Importer.batchBytesMax
    {
      if batch.count > 0 {
        carry(from: start, encoded.nameHash, encoded.zoneName, isDeletion: false, &batch)
        return
      }
      batch.isDeletion = false
    }
    note(encoded.zoneName, in: &batch)
    batch.note(line: reader.number, name: encoded.nameHash)
  }

  private mutating func carry(
    from start: Int,
    _ nameHash: UInt64?,
    _ zoneName: [UInt8],
    isDeletion: Bool,
    _ batch: inout ImportBatch
  ) {
    carried = Item(
      bytes: Array(batch.bytes[start...]),
      nameHash: nameHash,
      line: reader.number,
      endOffset: reader.offset,
      zoneName: zoneName,
      isDeletion: isDeletion
    )
    batch.bytes.removeSubrange(start...)
  }

  private mutating func note(_ zoneName: [UInt8], in batch: inout ImportBatch) {
    guard zoneName != lastZone else { return }
    lastZone = zoneName
    guard !zoneName.elementsEqual(ZoneName.defaultZone.utf8), !zoneName.isEmpty else { return }
    if zonesSeen.insert(zoneName).inserted { batch.newZoneNames.append(zoneName) }
  }

  private func fail(_ batch: inout ImportBatch, _ reason: String) throws {
    batch.failedLineCount += 1
    try report.fail(line: reader.number, .line(reason))
  }

  private mutating func readMarker(_ range: Range<Int>, into batch: inout ImportBatch) throws {
    let marker: TransferMarker
    do {
      marker = try TransferMarker(reader.buffer[range])
    } catch {
      return try fail(&batch, "\(error)")
    }
    switch marker {
    case .header(let header):
      hasHeader = true
      let version = header["version"]?.number?.exactly(Int.self) ?? 0
      guard version <= TransferMarker.version else {
        throw LocalFailure(
          "unsupported format version \(version): this rpcctl reads version "
            + "\(TransferMarker.version); use a newer one"
        )
      }
    case .zone(let name): note(Array(name.utf8), in: &batch)
    case .deleted(let id):
      let start = batch.bytes.count
      let zone = Array((id.zoneID?.zoneName ?? "").utf8)
      let hash = RecordLineEncoder.hash(zone, [], Array(id.recordName.utf8))
      var deletion = WireWriter()
      deletion.add(TidingsV1.ModifyRecordsRequest.FieldNumber.recordIDsToDelete, id.encoded())
      batch.bytes += deletion.bytes
      if batch.count > 0, !batch.isDeletion || batch.contains(hash) {
        return carry(from: start, hash, zone, isDeletion: true, &batch)
      }
      batch.isDeletion = true
      note(zone, in: &batch)
      batch.note(line: reader.number, name: hash)
    case .end: hasEnd = true
    case .page, .unknown: break
    }
  }

  /// Warns about an incomplete export.
  func warnIfIncomplete() {
    guard hasHeader, !hasEnd else { return }
    report.log("the export in the file is incomplete: continue it with rpcctl export --resume")
  }

  /// Puts records for a retry into batches, in their order.
  static func batches(of failures: [ImportOutcome.Failure], countMax: Int) -> [ImportBatch] {
    var batches: [ImportBatch] = []
    for failure in failures {
      let isFull =
        batches.last.map { last in
          last.count >= countMax || last.contains(failure.nameHash)
            || last.bytes.count + failure.bytes.count > Importer.batchBytesMax
        } ?? true
      if isFull {
        batches.append(ImportBatch(number: batches.count, endOffset: 0, endLine: 0))
      }
      batches[batches.count - 1].bytes += failure.bytes
      batches[batches.count - 1].note(line: failure.line, name: failure.nameHash)
    }
    return batches
  }
}
