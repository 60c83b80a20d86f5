import CZeroMQ
import TidingsProto
import TidingsProtobuf
import TidingsRPC

/// Makes single calls, one after the other, for what a measurement needs beforehand.
final class RawClient {
  private let socket: RawSocket
  private let metadata: [String: String]
  private let frames = FrameSlots(count: 2)

  init(_ context: RawContext, endpoint: String, metadata: [String: String]) throws {
    socket = try RawSocket(context, kind: ZMQ_DEALER)
    try socket.connect(endpoint)
    self.metadata = metadata
  }

  /// Makes a call and waits for its answer.
  func call<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ request: Request,
    _: Response.Type = Response.self
  ) throws -> Response {
    try answer(method, request) { try Response(decoding: Array($0)) }
  }

  /// Makes a call, waits for its answer and lends the encoded response.
  func answer<Request: Message, Value>(
    _ method: MethodDescriptor,
    _ request: Request,
    _ body: (UnsafeRawBufferPointer) throws -> Value
  ) throws -> Value {
    let header = TidingsRpcV1.RequestHeader(
      callID: 1,
      method: method.fullName,
      metadata: metadata
    )
    try socket.send(header.encoded(), more: true)
    try socket.send(request.encoded())
    _ = try socket.receive(into: frames.start, waits: true)
    guard frames.hasMore(0) else { throw BenchError("a reply of one frame") }
    _ = try socket.receive(into: frames.start + 1, waits: true)
    let response = try TidingsRpcV1.ResponseHeader(decoding: Array(frames[0]))
    guard response.status == 0 else {
      throw BenchError("\(method.fullName): status \(response.status): \(response.message)")
    }
    return try body(frames[1])
  }

  /// What went wrong with a call, from the frames of its reply.
  static func failure(header: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer) -> String {
    guard let header = try? TidingsRpcV1.ResponseHeader(decoding: Array(header)) else {
      return "the response header cannot be read"
    }
    if header.status != 0 { return "status \(header.status): \(header.message)" }
    // Results of saves and of fetches are encoded alike.
    let response = try? TidingsV1.ModifyRecordsResponse(decoding: Array(body))
    for case .error(let error)? in (response?.results ?? []).map(\.outcome) {
      return "error \(error.code.rawValue): \(error.message)"
    }
    return "the response is not the one expected"
  }
}
