/// What a handler knows about the call it answers.
public struct ServerCall: Sendable {
  /// The method called.
  public var method: MethodDescriptor
  /// What the client sent with the call.
  public var metadata: Metadata
  /// When the answer is no longer wanted; `nil`: never.
  public var deadline: ContinuousClock.Instant?
  /// The client's idempotency key, if any.
  public var idempotencyKey: String?
  /// The number that admission gave the key of the caller's connection; `nil` where callers need none.
  public var keyNumber: Int64?
  /// Whom that key stands for; empty: a guest; `nil` where callers need none.
  public var user: String?

  /// A call.
  public init(
    method: MethodDescriptor,
    metadata: Metadata = Metadata(),
    deadline: ContinuousClock.Instant? = nil,
    idempotencyKey: String? = nil,
    keyNumber: Int64? = nil,
    user: String? = nil
  ) {
    self.method = method
    self.metadata = metadata
    self.deadline = deadline
    self.idempotencyKey = idempotencyKey
    self.keyNumber = keyNumber
    self.user = user
  }
}

/// Where a streaming handler writes its messages.
public protocol ResponseWriter: Sendable {
  /// Sends one encoded message; waits until the client has credit for it.
  ///
  /// - Throws: `cancelled` when the client gave up, `deadlineExceeded` when the deadline passed.
  func write(_ message: [UInt8]) async throws(RPCError)
}

/// A service that answers calls with tasks: what generated server protocols refine.
public protocol RPCService: Sendable {
  /// Which service.
  static var descriptor: ServiceDescriptor { get }
  /// Answers a unary call; the bytes are encoded messages.
  func handleUnary(_ call: ServerCall, _ request: [UInt8]) async throws -> [UInt8]
  /// Answers a server-streaming call.
  func handleServerStreaming(
    _ call: ServerCall,
    _ request: [UInt8],
    _ writer: any ResponseWriter
  ) async throws
}
