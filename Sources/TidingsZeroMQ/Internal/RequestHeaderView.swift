internal import CProtobufC
internal import TidingsProtoC
internal import TidingsProtobuf
internal import TidingsRPC

/// A request's header where protobuf-c decoded it; valid until the arena is reset.
///
/// No string is made of it on the way to the handler.
struct RequestHeaderView {
  /// What the client asks for.
  enum Kind { case call, cancel, credit, unknown }

  private let header: UnsafePointer<Tidings__Rpc__V1__RequestHeader>

  /// Decodes a header; `nil` when the bytes are none.
  init?(_ bytes: UnsafeRawBufferPointer, arena: borrowing Arena) {
    guard
      let header = tidings__rpc__v1__request_header__unpack(
        arena.allocator,
        bytes.count,
        bytes.assumingMemoryBound(to: UInt8.self).baseAddress
      )
    else { return nil }
    self.header = UnsafePointer(header)
  }

  var callID: UInt64 { header.pointee.call_id }
  var method: UnsafeRawBufferPointer { Self.bytes(header.pointee.method) }
  var idempotencyKey: UnsafeRawBufferPointer { Self.bytes(header.pointee.idempotency_key) }
  var timeoutMilliseconds: UInt32 { header.pointee.timeout_ms }
  var credit: UInt32 { header.pointee.credit }

  var kind: Kind {
    switch header.pointee.kind.rawValue {
    case 0, 1: .call
    case 2: .cancel
    case 3: .credit
    default: .unknown
    }
  }

  /// Returns the value of a metadata key; of several, the last, as in any protobuf map.
  func metadata(_ key: String) -> UnsafeRawBufferPointer? {
    var key = key
    return key.withUTF8 { key in
      var index = header.pointee.n_metadata
      while index > 0 {
        index -= 1
        guard let entry = header.pointee.metadata[index]?.pointee else { continue }
        let found = Self.bytes(entry.key)
        if found.count == key.count, found.elementsEqual(key) {
          return Self.bytes(entry.value)
        }
      }
      return nil
    }
  }

  /// Returns why the call is refused, when it breaks a rule of header.proto.
  func refusal() -> RPCError? {
    if method.count > WireLimits.methodBytesMax {
      return RPCError(.invalidArgument, "the method's name has \(method.count) bytes; at most 255")
    }
    if idempotencyKey.count > WireLimits.idempotencyKeyBytesMax {
      return RPCError(.invalidArgument, "an idempotency key has 1 to 64 bytes")
    }
    if !idempotencyKey.isEmpty, !Self.isUTF8(idempotencyKey) {
      return RPCError(.invalidArgument, "the idempotency key is not UTF-8")
    }
    return header.pointee.n_metadata == 0 ? nil : metadataRefusal()
  }

  /// Returns the metadata as strings, for handlers that run as tasks.
  func makeMetadata() -> Metadata {
    var metadata = Metadata()
    for index in 0..<header.pointee.n_metadata {
      guard let entry = header.pointee.metadata[index]?.pointee else { continue }
      metadata[String(decoding: Self.bytes(entry.key), as: UTF8.self)] =
        String(decoding: Self.bytes(entry.value), as: UTF8.self)
    }
    return metadata
  }

  private func metadataRefusal() -> RPCError? {
    let count = header.pointee.n_metadata
    var total = 0
    for index in 0..<count {
      guard let entry = header.pointee.metadata[index]?.pointee else { continue }
      let (key, value) = (Self.bytes(entry.key), Self.bytes(entry.value))
      total += key.count + value.count
      if let reason = MetadataRules.refusal(ofKey: key) {
        return RPCError(.invalidArgument, reason)
      }
      if !Self.isUTF8(value) {
        return RPCError(.invalidArgument, "a metadata value is not UTF-8")
      }
    }
    return MetadataRules.tooLarge(entries: count, bytes: total)
  }

  private static func bytes(_ data: ProtobufCBinaryData) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: data.data, count: data.len)
  }

  private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
  }
}
