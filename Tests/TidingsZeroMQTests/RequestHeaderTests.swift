import CProtobufC
import RandomSupport
import TestSupport
import Testing
import TidingsProto
import TidingsProtoC
import TidingsProtobuf
import TidingsRPC
import TidingsZeroMQ

/// What is read of a request's header in place is what protobuf-c reads.
@Suite struct RequestHeaderTests {
  @Test("random headers, whole and damaged, are read as protobuf-c reads them")
  func headers() {
    let seed = Seed.make("RequestHeaders")
    var random = SplitMix64(seed: seed)
    let arena = Arena()
    var damagedCount = 0
    for _ in 0..<20_000 {
      defer { arena.reset() }
      var bytes = random.header().encoded()
      let isDamaged = random.below(2) == 0
      if isDamaged, !bytes.isEmpty {
        bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      bytes.withUnsafeBytes { bytes in
        guard let view = RequestHeaderView(bytes) else {
          #expect(isDamaged || bytes.isEmpty, "a whole header is refused, seed \(seed)")
          return
        }
        if isDamaged { damagedCount += 1 }
        guard let pointer = try? TidingsRpcV1.RequestHeader.unpack(bytes.bytes, in: arena) else {
          Issue.record("protobuf-c refuses \(Array(bytes)), seed \(seed)")
          return
        }
        let expected = pointer.assumingMemoryBound(to: Tidings__Rpc__V1__RequestHeader.self).pointee
        #expect(view.callID == expected.call_id, "seed \(seed)")
        #expect(view.timeoutMilliseconds == expected.timeout_ms, "seed \(seed)")
        #expect(view.credit == expected.credit, "seed \(seed)")
        #expect(Self.kind(expected.kind.rawValue) == view.kind, "seed \(seed)")
        #expect(view.method.elementsEqual(Self.bytes(expected.method)), "seed \(seed)")
        #expect(
          view.idempotencyKey.elementsEqual(Self.bytes(expected.idempotency_key)),
          "seed \(seed)"
        )
        var metadata = Metadata()
        for index in 0..<expected.n_metadata {
          guard let entry = expected.metadata[index]?.pointee else { continue }
          metadata[String(decoding: Self.bytes(entry.key), as: UTF8.self)] =
            String(decoding: Self.bytes(entry.value), as: UTF8.self)
        }
        #expect(view.makeMetadata() == metadata, "seed \(seed)")
        let names = [view.user, view.device].map { $0.map { String(decoding: $0, as: UTF8.self) } }
        #expect(
          names == [metadata[Metadata.userKey], metadata[Metadata.deviceKey]],
          "seed \(seed)"
        )
      }
    }
    #expect(damagedCount > 1_000, "hardly any damaged header is read: \(damagedCount)")
  }

  private static func bytes(_ data: ProtobufCBinaryData) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: data.data, count: data.len)
  }

  private static func kind(_ number: some BinaryInteger) -> RequestHeaderView.Kind {
    switch Int32(truncatingIfNeeded: number) {
    case 0, 1: .call
    case 2: .cancel
    case 3: .credit
    default: .unknown
    }
  }
}

extension SplitMix64 {
  fileprivate mutating func header() -> TidingsRpcV1.RequestHeader {
    var header = TidingsRpcV1.RequestHeader()
    header.callID = next() >> UInt64(below(64))
    header.kind = .init(rawValue: Int32(below(5)))
    if below(4) > 0 { header.method = "tidings.v1.RecordService/Method\(below(30))" }
    if below(2) == 0 { header.timeoutMs = UInt32(below(1 << 20)) }
    for _ in 0..<below(4) { header.metadata["key-\(below(5))"] = "value-\(below(1_000))" }
    if below(2) == 0 { header.metadata[Metadata.userKey] = "user-\(below(1_000))" }
    if below(2) == 0 { header.metadata[Metadata.deviceKey] = "device-\(below(1_000))" }
    if below(3) == 0 { header.idempotencyKey = "key-\(below(1_000))" }
    if below(3) == 0 { header.credit = UInt32(below(2_000)) }
    return header
  }
}
