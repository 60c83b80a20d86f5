internal import TidingsProto
internal import TidingsRPC
internal import TidingsWire

/// What the headers of a client's calls have in common: metadata, as fields on the wire.
struct RequestContext: Sendable {
  private typealias Field = TidingsRpcV1.RequestHeader.FieldNumber

  /// Fields of a header, in the order of their numbers, after all others but the credit.
  let fields: [UInt8]

  init(_ metadata: Metadata, idempotencyKey: String? = nil) {
    var writer = WireWriter()
    for (key, value) in metadata.entries.sorted(by: { $0.key < $1.key }) {
      var entry = WireWriter()
      entry.add(1, Array(key.utf8))
      entry.add(2, Array(value.utf8))
      writer.add(Field.metadata, entry.bytes)
    }
    if let idempotencyKey { writer.add(Field.idempotencyKey, Array(idempotencyKey.utf8)) }
    fields = writer.bytes
  }
}
