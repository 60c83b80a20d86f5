internal import CProtobufC
internal import TidingsProtoC
internal import TidingsProtobuf
internal import TidingsRPC

/// A response's header where protobuf-c decoded it; valid until the arena is reset.
struct ResponseHeaderView {
  private let header: UnsafePointer<Tidings__Rpc__V1__ResponseHeader>

  /// Decodes a header; `nil` when the bytes are none.
  init?(_ bytes: UnsafeRawBufferPointer, arena: borrowing Arena) {
    guard
      let header = tidings__rpc__v1__response_header__unpack(
        arena.allocator,
        bytes.count,
        bytes.assumingMemoryBound(to: UInt8.self).baseAddress
      )
    else { return nil }
    self.header = UnsafePointer(header)
  }

  var callID: UInt64 { header.pointee.call_id }
  var endsStream: Bool { header.pointee.end_of_stream != 0 }
  var hasMessage: Bool { header.pointee.has_message != 0 }
  var isOK: Bool { header.pointee.status == 0 }
  var isUnavailable: Bool { header.pointee.status == StatusCode.unavailable.rawValue }
  var isExhausted: Bool { header.pointee.status == StatusCode.resourceExhausted.rawValue }

  /// The status of a failed call.
  func makeError() -> RPCError {
    var details: [RPCError.Detail] = []
    for index in 0..<header.pointee.n_details {
      guard let detail = header.pointee.details[index]?.pointee else { continue }
      details.append(
        .init(typeURL: Self.string(detail.type_url), value: Array(Self.bytes(detail.value)))
      )
    }
    return RPCError(
      StatusCode(rawValue: header.pointee.status),
      Self.string(header.pointee.message),
      details: details
    )
  }

  private static func string(_ data: ProtobufCBinaryData) -> String {
    String(decoding: bytes(data), as: UTF8.self)
  }

  private static func bytes(_ data: ProtobufCBinaryData) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: data.data, count: data.len)
  }
}
