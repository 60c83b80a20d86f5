internal import CZeroMQ
internal import TidingsProtobuf
public import TidingsRPC

/// A call as a handler on the loop thread sees it: bytes where they were received.
///
/// Everything in it is valid during the handler only, except the token.
public struct InlineCall: ~Copyable {
  let header: RequestHeaderView
  let route: LoopContext.Route
  let connection: Connection
  /// The encoded request message.
  public let body: UnsafeRawBufferPointer
  /// What `body` is the content of.
  let frame: UnsafeMutablePointer<zmq_msg_t>
  /// When the answer is no longer wanted; `nil`: never.
  public let deadline: ContinuousClock.Instant?
  /// Answers the call, now or later.
  public let token: ReplyToken
  /// The number that admission gave the key of the caller's connection, or the negative one of the credential of a
  /// gateway's caller; `nil` in development mode.
  public let keyNumber: Int64?
  /// Whom that stands for; empty: a guest; `nil` in development mode.
  public let user: String?

  /// The encoded request message, for as long as somebody needs it.
  public var keptBody: KeptBody { KeptBody(of: frame) }

  /// The method called.
  public var method: MethodDescriptor { route.method }

  /// The client's idempotency key, valid UTF-8 of at most 64 bytes; empty: none.
  public var idempotencyKey: UnsafeRawBufferPointer { header.idempotencyKey }

  /// Whose turn and bounds the call takes part in.
  public var callerKey: CallerKey {
    LoopContext.callerKey(header, user: user, keyNumber: keyNumber)
  }

  /// The user whom the call's metadata names; `nil`: none.
  public var claimedUser: String? {
    header.user.map { Self.text($0, orSame: connection.caller?.user) }
  }

  /// The device that the call's metadata names; `nil`: none.
  public var device: String? {
    header.device.map { Self.text($0, orSame: connection.caller?.device) }
  }

  /// Nearly all calls of a connection name what its first one named, and share that string.
  private static func text(_ bytes: UnsafeRawBufferPointer, orSame known: String?) -> String {
    if let known, bytes.hasBytes(of: known) { return known }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the bytes of a metadata value; valid UTF-8.
  public func metadata(_ key: String) -> UnsafeRawBufferPointer? { header.metadata(key) }

  /// Returns the call as other handlers see it; makes strings of everything.
  public func makeServerCall() -> ServerCall {
    ServerCall(
      method: method,
      metadata: header.makeMetadata(),
      deadline: deadline,
      idempotencyKey: idempotencyKey.isEmpty
        ? nil : String(decoding: idempotencyKey, as: UTF8.self),
      keyNumber: keyNumber,
      user: user
    )
  }
}

/// Answers a call on the loop thread: at once, or later through the call's token.
///
/// It must not wait for anything: all other callers wait meanwhile.
public typealias InlineHandler = (borrowing InlineCall, LoopContext) -> Void
