import RandomSupport
import Testing
import TidingsJSON
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// Random messages of the contract go from bytes to JSON and back.
@Suite struct JSONRoundTripTests {
  @Test("bytes → JSON text → bytes keeps every message", arguments: 1...4 as ClosedRange<UInt64>)
  func keeps(seed: UInt64) throws {
    let transcoder = JSONTranscoder(schema: try contractSchema())
    var random = SplitMix64(seed: seed)
    for (name, reencode) in contractTypes {
      for _ in 0..<60 {
        let bytes = randomMessage(name, transcoder.schema, &random, depth: 0)
        let canonical = try reencode(bytes)
        let text = try transcoder.decode(bytes, as: name).text(
          isPretty: Bool.random(using: &random)
        )
        let back = try transcoder.encode(JSONValue(parsing: text), as: name)
        #expect(try reencode(back) == canonical, "seed \(seed), \(name)")
        #expect(
          try transcoder.decode(canonical, as: name).text()
            == transcoder.decode(back, as: name).text(),
          "seed \(seed), \(name)"
        )
      }
    }
  }

  @Test("mutated bytes are converted or refused, never crash", arguments: [1, 2] as [UInt64])
  func mutations(seed: UInt64) throws {
    let transcoder = JSONTranscoder(schema: try contractSchema())
    var random = SplitMix64(seed: seed)
    var refused = 0
    for _ in 0..<2_000 {
      var bytes = randomMessage("tidings.v1.Record", transcoder.schema, &random, depth: 0)
      for _ in 0..<3 where !bytes.isEmpty {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      do {
        _ = try transcoder.decode(bytes, as: "tidings.v1.Record")
      } catch {
        refused += 1
      }
    }
    #expect(refused > 100, "seed \(seed)")
  }
}

private func contractSchema() throws -> Schema {
  try Schema(
    fileDescriptors: TidingsV1.RecordService.descriptor.fileDescriptors
      + TidingsV1.NotificationService.descriptor.fileDescriptors
      + TidingsV1.SubscriptionService.descriptor.fileDescriptors
      + TidingsRpcV1.ServerService.descriptor.fileDescriptors
  )
}

private let contractTypes: [(name: String, reencode: @Sendable ([UInt8]) throws -> [UInt8])] = [
  type(TidingsV1.Record.self), type(TidingsV1.ModifyRecordsRequest.self),
  type(TidingsV1.ModifyRecordsResponse.self), type(TidingsV1.QueryRecordsRequest.self),
  type(TidingsV1.FetchNotificationChangesResponse.self), type(TidingsV1.Push.self),
  type(TidingsV1.ModifySubscriptionsRequest.self), type(TidingsRpcV1.FetchServerInfoResponse.self),
]

private func type<Value: Message>(
  _ type: Value.Type
) -> (String, @Sendable ([UInt8]) throws -> [UInt8]) {
  (Value.messageName, { try Value(decoding: $0).encoded() })
}

/// A message with random fields in random order, on the wire.
private func randomMessage(
  _ name: String,
  _ schema: Schema,
  _ random: inout SplitMix64,
  depth: Int
) -> [UInt8] {
  if name == "google.protobuf.Timestamp" {
    return [8] + varint(.random(in: 0...253_402_300_799, using: &random))
      + [16] + varint(.random(in: 0...999_999_999, using: &random))
  }
  if name == "google.protobuf.Duration" {
    return [8] + varint(.random(in: 0...315_576_000_000, using: &random))
  }
  let fields = schema.messages[name]?.fields ?? []
  var bytes: [UInt8] = []
  for field in fields.shuffled(using: &random) where Bool.random(using: &random) {
    if field.kind == .message, depth > 4 { continue }
    for _ in 0..<(field.isRepeated ? Int.random(in: 0...3, using: &random) : 1) {
      let (wireType, payload) = randomValue(field, schema, &random, depth: depth)
      bytes += varint(UInt64(field.number << 3 | wireType)) + payload
    }
  }
  return bytes
}

private func randomValue(
  _ field: FieldSchema,
  _ schema: Schema,
  _ random: inout SplitMix64,
  depth: Int
) -> (wireType: Int, payload: [UInt8]) {
  func delimited(_ bytes: [UInt8]) -> (Int, [UInt8]) { (2, varint(UInt64(bytes.count)) + bytes) }
  switch field.kind {
  case .message:
    return delimited(randomMessage(field.typeName, schema, &random, depth: depth + 1))
  case .string:
    let scalars: [Unicode.Scalar] = [
      "a", "Z", "\0", "\"", "\\", "\n", "é", "\u{301}", "\u{9B}", "😀",
    ]
    var text = ""
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      text.unicodeScalars.append(scalars.randomElement(using: &random)!)
    }
    return delimited(Array(text.utf8))
  case .bytes:
    let count = Int.random(in: 0...5, using: &random)
    return delimited((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
  case .bool: return (0, [.random(in: 0...1, using: &random)])
  case .enum: return (0, varint(.random(in: 0...5, using: &random)))
  case .int32:
    return (0, varint(UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: random.next())))))
  case .uint32: return (0, varint(random.next() >> 32))
  case .double:
    let values = [0.1, 1, -2.5, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity]
    return (1, fixed64(values.randomElement(using: &random)!.bitPattern))
  case .fixed64, .sfixed64: return (1, fixed64(random.next()))
  case .float, .fixed32, .sfixed32: return (5, Array(fixed64(random.next()).prefix(4)))
  default: return (0, varint(random.next() >> (random.next() % 64)))
  }
}

private func fixed64(_ value: UInt64) -> [UInt8] {
  (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}

private func varint(_ value: UInt64) -> [UInt8] {
  value < 128
    ? [UInt8(value)] : [UInt8(truncatingIfNeeded: value) | 128] + varint(value >> 7)
}
