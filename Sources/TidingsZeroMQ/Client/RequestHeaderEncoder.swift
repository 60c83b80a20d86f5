internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Encodes the headers of requests.
enum RequestHeaderEncoder {
  /// Starts a call; the timeout is what is left of it.
  static func call(
    _ id: UInt64,
    _ call: OutgoingCall,
    timeout: Duration?,
    arena: borrowing Arena
  ) -> [UInt8] {
    var metadata: [String: String] = [:]
    for (key, value) in call.metadata.entries { metadata[key] = value }
    return TidingsRpcV1.RequestHeader(
      callID: id,
      method: call.method,
      timeoutMs: timeout.map { UInt32(clamping: max(1, $0.wholeMilliseconds)) } ?? 0,
      metadata: metadata,
      idempotencyKey: call.idempotencyKey ?? ""
    ).encoded(in: arena)
  }

  /// Gives a call up.
  static func cancel(_ id: UInt64, arena: borrowing Arena) -> [UInt8] {
    TidingsRpcV1.RequestHeader(callID: id, kind: .cancel).encoded(in: arena)
  }

  /// Lets a stream send more.
  static func credit(_ id: UInt64, _ count: UInt32, arena: borrowing Arena) -> [UInt8] {
    TidingsRpcV1.RequestHeader(callID: id, kind: .credit, credit: count).encoded(in: arena)
  }
}
