import Testing
import TidingsProto
import TidingsProtobuf

@Suite("Generated messages")
struct RecordTests {
  private static let record = TidingsV1.Record(
    recordID: .init(recordName: "r", zoneID: .init(zoneName: "z", ownerName: "o")),
    recordType: "City",
    fields: [
      "name": .init(value: .stringValue("Köln")),
      "population": .init(value: .int64Value(1_087_863)),
    ],
    changeTag: "7",
    modified: .init(timestamp: .init(seconds: 1, nanos: 2_000_000), userRecordName: "u")
  )

  // protoc --encode=tidings.v1.Record, 3.21.12
  private static let bytes: [UInt8] = [
    0x0a, 0x0b, 0x0a, 0x01, 0x72, 0x12, 0x06, 0x0a, 0x01, 0x7a, 0x12, 0x01, 0x6f, 0x12, 0x04, 0x43,
    0x69, 0x74, 0x79, 0x1a, 0x0f, 0x0a, 0x04, 0x6e, 0x61, 0x6d, 0x65, 0x12, 0x07, 0x0a, 0x05, 0x4b,
    0xc3, 0xb6, 0x6c, 0x6e, 0x1a, 0x12, 0x0a, 0x0a, 0x70, 0x6f, 0x70, 0x75, 0x6c, 0x61, 0x74, 0x69,
    0x6f, 0x6e, 0x12, 0x04, 0x10, 0xf7, 0xb2, 0x42, 0x22, 0x01, 0x37, 0x32, 0x0b, 0x0a, 0x06, 0x08,
    0x01, 0x10, 0x80, 0x89, 0x7a, 0x12, 0x01, 0x75,
  ]

  @Test("a record's bytes are protoc's")
  func agreesWithProtoc() throws {
    #expect(Self.record.encoded() == Self.bytes)
    #expect(try TidingsV1.Record(decoding: Self.bytes) == Self.record)
  }

  @Test("a large member behind a reference is absent, set and removed like others")
  func storesLargeMembers() {
    var result = TidingsV1.RecordResult()
    #expect(result.serverRecord == nil)
    result.serverRecord = Self.record
    let copy = result
    result.serverRecord?.recordType = "Town"
    #expect(copy.serverRecord?.recordType == "City")
    #expect(result.serverRecord?.recordType == "Town")
    #expect(result != copy)
    result.serverRecord = nil
    #expect(result == TidingsV1.RecordResult())
  }

  @Test("names are the .proto files'")
  func namesMessages() {
    #expect(TidingsV1.Record.messageName == "tidings.v1.Record")
    #expect(
      TidingsRpcV1.BadRequest.FieldViolation.messageName
        == "tidings.rpc.v1.BadRequest.FieldViolation"
    )
    #expect(GoogleProtobuf.`Any`(typeURL: "t").encoded() == [0x0a, 1, 0x74])
    #expect(TidingsV1.SavePolicy.changedKeys.description == "SAVE_POLICY_CHANGED_KEYS")
  }

  @Test("a descriptor comes with all that it imports, imports first, each once")
  func ordersFileDescriptors() {
    let files = FileDescriptor.tidingsV1RecordServiceProto.serializedWithDependencies
    // Field 1 of FileDescriptorProto is the name.
    let names = files.map { file in
      String(decoding: file[2..<2 + Int(file[1])], as: UTF8.self)
    }
    #expect(Set(names).count == names.count)
    #expect(names.last == "tidings/v1/record_service.proto")
    #expect(names.contains("google/protobuf/timestamp.proto"))
    let record = names.firstIndex(of: "tidings/v1/record.proto")
    let predicate = names.firstIndex(of: "tidings/v1/predicate.proto")
    #expect((record ?? .max) < (predicate ?? 0))
  }
}
