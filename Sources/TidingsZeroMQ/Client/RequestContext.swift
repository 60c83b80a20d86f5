internal import TidingsProto
internal import TidingsRPC
internal import TidingsWire

/// What the headers of a client's calls have in common: metadata, as fields on the wire.
struct RequestContext: Sendable {
  private typealias Field = TidingsRpcV1.RequestHeader.FieldNumber

  /// Fields of a header, in the order of their numbers, after all others but the credit.
  let fields: [UInt8]

  init(_ metadata: Metadata, idempotencyKey: String? = nil) {
    let entries = metadata.entries.sorted { $0.key < $1.key }
    let entryBytesMax = 3 * WireCursor.fieldBytesMax
    let bytesMax = entries.reduce((idempotencyKey?.utf8.count ?? 0) + WireCursor.fieldBytesMax) {
      $0 + $1.key.utf8.count + $1.value.utf8.count + entryBytesMax
    }
    fields = WireCursor.bytes(atMost: bytesMax) { cursor in
      for (key, value) in entries {
        cursor.addMessage(Field.metadata) { entry in
          entry.add(1, key)
          entry.add(2, value)
        }
      }
      if let idempotencyKey { cursor.add(Field.idempotencyKey, idempotencyKey) }
    }
  }
}
