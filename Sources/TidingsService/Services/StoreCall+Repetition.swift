internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProtobuf

extension StoreCall {
  /// The answer to an earlier call with the same idempotency key.
  func decoded<Message: TidingsProtobuf.Message>(_ answer: [UInt8]) throws -> Message {
    try answer.withUnsafeBytes { bytes in
      try storedMessage("answer") { try Message(decoding: bytes.bytes, in: arena) }
    }
  }
}

extension Engine {
  /// Refuses a call with an idempotency key if its caller has no room for the answer.
  func requireRoomForAnswer(to call: borrowing StoreCall) throws {
    if call.hasKey { try checkRoomForAnswers(of: call.caller.user) }
  }
}
