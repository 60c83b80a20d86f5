internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsCodec
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsWire

/// What is read without protobuf-c is what protobuf-c reads, and nothing is taken that it refuses.
@Suite struct PlainRecordTests {
  private func throughC(_ bytes: [UInt8]) throws -> Record {
    let arena = Arena()
    return try bytes.withUnsafeBytes { try RecordReader.record(unpacking: $0, "record", in: arena) }
  }

  @Test("random records, whole and damaged, are read as protobuf-c reads them")
  func records() {
    let seed = Seed.make("PlainRecords")
    var random = SplitMix64(seed: seed)
    var plainCounts = [true: 0, false: 0]
    for _ in 0..<20_000 {
      var bytes = random.record().encoded()
      let isDamaged = random.below(2) == 0
      if isDamaged { random.damage(&bytes) }
      guard let plain = try? bytes.withUnsafeBytes({ try PlainRecordReader.record($0) }) else {
        continue
      }
      plainCounts[isDamaged, default: 0] += 1
      guard let expected = try? throughC(bytes) else {
        Issue.record("protobuf-c refuses \(bytes), seed \(seed)")
        continue
      }
      // Compared as bytes: a damaged number is perhaps not equal to itself.
      #expect(RecordWriter.encode(plain) == RecordWriter.encode(expected), "seed \(seed)")
    }
    #expect(plainCounts[false, default: 0] > 500, "hardly any record is plain: \(plainCounts)")
    #expect(plainCounts[true, default: 0] > 50, "hardly any damaged one is: \(plainCounts)")
  }

  @Test(
    "a number with more bits than 64, which others refuse, is stored as the number that is meant"
  )
  func overlong() throws {
    // -1, as it is written, and with a tenth byte that says more.
    for (last, isCanonical) in [(1 as UInt8, true), (113, false)] {
      let number = [UInt8](repeating: 0xFF, count: 9) + [last]
      for value in [[0x10] + number, [0x2A, 11, 0x08] + number] {
        let entry = WireBytes().field(1, "f").field(2, value)
        let bytes = WireBytes().field(3, entry.bytes).bytes
        let plain = try bytes.withUnsafeBytes { try PlainRecordReader.record($0) }
        let expected = RecordWriter.encode(try throughC(bytes))
        #expect(RecordWriter.encode(plain) == expected)
        #expect((expected.firstRange(of: bytes) != nil) == isCanonical)
      }
    }
  }

  @Test(
    "what has very many parts, which would take much more memory than bytes, is left to protobuf-c"
  )
  func counts() throws {
    func isPlain(_ bytes: [UInt8], _ read: (LentBytes) throws -> Void) -> Bool {
      bytes.withUnsafeBytes { bytes in
        LentBytes(bytes).map { (try? read($0)) != nil } ?? false
      }
    }
    let most = PlainRecordReader.countMax
    for (count, isExpected) in [(most, true), (most + 1, false)] {
      for number in [2, 3] {
        let items = (0..<count).reduce(WireBytes()) { bytes, _ in bytes.field(number, WireBytes()) }
        #expect(isPlain(items.bytes) { _ = try ModifyRecordsMessage(plain: $0) } == isExpected)
      }
      let ids = (0..<count).reduce(WireBytes()) { bytes, _ in bytes.field(2, WireBytes()) }
      #expect(isPlain(ids.bytes) { _ = try FetchRecordsMessage(plain: $0) } == isExpected)
      let fields = (0..<count).reduce(WireBytes()) { bytes, _ in bytes.field(3, WireBytes()) }
      #expect(isPlain(fields.bytes) { _ = try PlainRecordReader.record($0) } == isExpected)
      let texts = (0..<count).reduce(WireBytes()) { bytes, _ in bytes.field(1, "") }
      let list = WireBytes().field(3, WireBytes().field(2, WireBytes().field(9, texts)))
      #expect(isPlain(list.bytes) { _ = try PlainRecordReader.record($0) } == isExpected)
    }
  }

  @Test("random requests, whole and damaged, are read as protobuf-c reads them")
  func requests() {
    let seed = Seed.make("PlainRequests")
    var random = SplitMix64(seed: seed)
    var (plainCount, keptCount) = (0, 0)
    let arena = Arena()
    for _ in 0..<5_000 {
      defer { arena.reset() }
      let request = TidingsV1.ModifyRecordsRequest(
        databaseID: random.below(2) == 0
          ? nil : .init(container: random.name(), environment: .production, scope: .public),
        recordsToSave: (0..<random.below(3)).map { _ in random.record() },
        recordIDsToDelete: (0..<random.below(3)).map { _ in .init(recordName: random.name()) },
        savePolicy: .init(rawValue: Int32(random.below(4))),
        atomic: [nil, false, true][random.below(3)],
        dryRun: random.below(2) == 0,
        clientChangeTokenData: Array(repeating: 7, count: random.below(4))
      )
      var bytes = request.encoded()
      if random.below(2) == 0 { random.damage(&bytes) }
      bytes.withUnsafeBytes { bytes in
        guard let lent = LentBytes(bytes), let plain = try? ModifyRecordsMessage(plain: lent) else {
          return
        }
        plainCount += 1
        keptCount += plain.saves.count { $0.fields.packed != nil }
        guard let expected = try? ModifyRecordsMessage(unpacking: bytes, in: arena) else {
          Issue.record("protobuf-c refuses \(Array(bytes)), seed \(seed)")
          return
        }
        #expect(plain.databaseID ?? .init() == expected.databaseID ?? .init(), "seed \(seed)")
        #expect(
          plain.saves.map { RecordWriter.encode($0) }
            == expected.saves.map { RecordWriter.encode($0) },
          "seed \(seed)"
        )
        #expect(plain.deletions == expected.deletions, "seed \(seed)")
        #expect(plain.policyNumber == expected.policyNumber, "seed \(seed)")
        #expect(plain.isAtomic == expected.isAtomic, "seed \(seed)")
        #expect(plain.isDryRun == expected.isDryRun, "seed \(seed)")
        #expect(plain.clientChangeToken == expected.clientChangeToken, "seed \(seed)")
      }
    }
    #expect(plainCount > 300)
    #expect(keptCount > 20, "hardly any fields are kept as they came: \(keptCount)")
  }

  @Test("random requests to fetch, whole and damaged, are read as protobuf-c reads them")
  func fetches() {
    let seed = Seed.make("PlainFetches")
    var random = SplitMix64(seed: seed)
    var plainCount = 0
    let arena = Arena()
    for _ in 0..<5_000 {
      defer { arena.reset() }
      let request = TidingsV1.FetchRecordsRequest(
        databaseID: random.below(2) == 0
          ? nil : .init(container: random.name(), environment: .production, scope: .public),
        recordIDs: (0..<random.below(4)).map { _ in
          .init(
            recordName: random.name(),
            zoneID: random.below(2) == 0 ? nil : .init(zoneName: random.name())
          )
        },
        desiredKeys: random.below(4) == 0 ? .init(keys: [random.name()]) : nil
      )
      var bytes = request.encoded()
      if random.below(2) == 0 { random.damage(&bytes) }
      bytes.withUnsafeBytes { bytes in
        guard let lent = LentBytes(bytes), let plain = try? FetchRecordsMessage(plain: lent) else {
          return
        }
        plainCount += 1
        guard
          let expected = try? FetchRecordsMessage(unpacking: bytes, in: arena, check: { _ in })
        else {
          Issue.record("protobuf-c refuses \(Array(bytes)), seed \(seed)")
          return
        }
        #expect(plain.databaseID ?? .init() == expected.databaseID ?? .init(), "seed \(seed)")
        #expect(plain.recordIDs == expected.recordIDs, "seed \(seed)")
        #expect(plain.desiredKeys == expected.desiredKeys, "seed \(seed)")
      }
    }
    #expect(plainCount > 1_000)
  }
}

extension SplitMix64 {
  /// Changes, doubles or cuts a few bytes.
  fileprivate mutating func damage(_ bytes: inout [UInt8]) {
    for _ in 0...below(2) where !bytes.isEmpty {
      let index = below(bytes.count)
      switch below(4) {
      case 0: bytes.removeSubrange(index..<min(bytes.count, index + 1 + below(4)))
      case 1: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 20)], at: index)
      default: bytes[index] = UInt8(truncatingIfNeeded: next())
      }
    }
  }

  fileprivate mutating func name() -> String { "name-\(below(100))" }
}
