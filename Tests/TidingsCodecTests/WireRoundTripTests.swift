internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsCodec
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// RecordReader and RecordWriter against the generated messages: what goes in comes out.
@Suite struct WireRoundTripTests {
  private let codec = BodyCodec()

  private func decode(_ record: TidingsV1.Record) throws -> Record {
    try record.encoded().withUnsafeBytes { try codec.decodeRecord($0) }
  }

  @Test("random records of the contract come back from the domain's values unchanged")
  func randomRecords() throws {
    let seed = Seed.make("WireRoundTrip")
    var random = SplitMix64(seed: seed)
    for _ in 0..<3000 {
      let record = random.record()
      let encoded = codec.encode(try decode(record))
      #expect(try TidingsV1.Record(decoding: encoded) == record, "seed \(seed)")
      // Equal records have equal bytes.
      #expect(codec.encode(try decode(TidingsV1.Record(decoding: encoded))) == encoded)
    }
  }

  @Test("times keep their nanoseconds, before 1970 too")
  func times() throws {
    for (seconds, nanos) in [
      (0, 1_999_999), (-1, 999_999_999), (-1, 0), (1, 500_000), (-62_135_596_800, 1),
      (253_402_300_799, 999_999_999),
    ] as [(Int64, Int32)] {
      let record = TidingsV1.Record(
        "T",
        "r",
        ["t": .init(.timestampValue(.init(seconds: seconds, nanos: nanos)))]
      )
      let time = Timestamp(seconds: seconds, nanoseconds: nanos)
      #expect(try decode(record).fields["t"] == .timestamp(time))
    }
  }

  @Test("an unspecified reference action is NONE, an unknown one is refused by its path")
  func referenceActions() throws {
    func record(_ action: Int32) -> TidingsV1.Record {
      .init(
        "T",
        "r",
        ["f": .init(.referenceValue(.init(recordID: .init("x"), action: .init(rawValue: action))))]
      )
    }
    let none = Reference(recordID: RecordID(recordName: "x"), action: .none)
    #expect(try decode(record(0)).fields["f"] == .reference(none))
    for action in [4, -1, Int32.max] {
      #expect {
        try decode(record(action))
      } throws: { error in
        "\(error)".contains("fields['f']")
      }
    }
  }

  @Test("a field that appears twice counts as its last")
  func doubledField() throws {
    func entry(_ number: UInt64) -> WireBytes {
      .init().field(1, "n").field(2, WireBytes().varint(2, number))
    }
    let bytes = WireBytes().field(3, entry(1)).field(3, entry(2)).bytes
    let record = try bytes.withUnsafeBytes { try codec.decodeRecord($0) }
    #expect(record.fields["n"] == .int64(2))
  }

  @Test("subscriptions come back from the store as they went in")
  func subscriptions() throws {
    let sent = TidingsV1.Subscription(
      "s",
      "Houses",
      where: "price > 3 AND city IN {'a', 'b'}",
      on: [.update, .delete],
      once: true,
      zone: "attic",
      keys: ["price"]
    )
    let model = try sent.model("it")
    let stored = codec.encode(model)
    let again = try stored.withUnsafeBytes { try codec.decodeSubscription($0) }
    #expect(again == model)
    #expect(codec.encode(again) == stored)
    let message = TidingsV1.Subscription(again)
    #expect(message.firesOnce && message.firesOnRecordUpdate && message.firesOnRecordDeletion)
    #expect(!message.firesOnRecordCreation && message.zoneID == .init(zoneName: "attic"))
    #expect(message.notificationInfo == .init(desiredKeys: ["price"]))
  }
}
