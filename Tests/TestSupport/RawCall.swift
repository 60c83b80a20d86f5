public import TidingsProto
internal import TidingsProtobuf

/// Calls in raw frames: header and body are whatever the test says.
public struct RawCall: Sendable {
  public var header = TidingsRpcV1.RequestHeader()
  public var body: [UInt8] = []

  public init(_ method: String, _ body: [UInt8] = [], as user: String = "ada") {
    header.callID = 7
    header.method = method
    header.metadata = ["tidings-user": user, "tidings-device": "raw"]
    self.body = body
  }

  public static let modifyRecords = "tidings.v1.RecordService/ModifyRecords"
  public static let fetchRecords = "tidings.v1.RecordService/FetchRecords"

  /// Makes the call on a socket, and returns the answer's header and body.
  public func send(on socket: RawSocket) async throws -> (TidingsRpcV1.ResponseHeader, [UInt8]) {
    try await socket.send([header.encoded(), body])
    return try await Self.answer(socket.receive())
  }

  /// The header and the body of an answer.
  public static func answer(_ frames: [[UInt8]]) throws -> (TidingsRpcV1.ResponseHeader, [UInt8]) {
    guard frames.count >= 2 else {
      throw WaitingFailure(description: "an answer of \(frames.count) frames")
    }
    return (try TidingsRpcV1.ResponseHeader(decoding: frames[frames.count - 2]), frames.last ?? [])
  }
}
