internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Encodes the headers of responses with an error.
enum FailureHeader {
  /// A header in a frame of its size.
  static func encode(callID: UInt64, _ error: RPCError, arena: borrowing Arena) -> [UInt8] {
    TidingsRpcV1.ResponseHeader(
      callID: callID,
      status: error.code.rawValue,
      message: error.message,
      details: error.details.map { GoogleProtobuf.`Any`(typeURL: $0.typeURL, value: $0.value) },
      endOfStream: true
    ).encoded(in: arena)
  }
}
