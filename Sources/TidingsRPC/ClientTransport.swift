/// How a client wants a call to be made.
public struct CallOptions: Sendable {
  /// How long the answer is wanted; `nil`: as long as the transport's default says, which for
  /// streams has no limit.
  public var timeout: Duration?
  /// Sent with the call.
  public var metadata: Metadata
  /// The span that the call is a part of: the metadata entry `traceparent`.
  public var trace: TraceContext? {
    get { metadata[Metadata.traceParentKey].flatMap { TraceContext($0) } }
    set { metadata[Metadata.traceParentKey] = newValue?.text }
  }
  /// Applies a mutating call once; also makes it safe to retry.
  ///
  /// Calls of idempotent methods that a connection may retry get one of their own if this is `nil`.
  public var idempotencyKey: String?

  /// Options; by default the transport's defaults.
  public init(
    timeout: Duration? = nil,
    metadata: Metadata = Metadata(),
    idempotencyKey: String? = nil
  ) {
    self.timeout = timeout
    self.metadata = metadata
    self.idempotencyKey = idempotencyKey
  }
}

/// Carries calls to a server: over ZeroMQ, or within the process.
///
/// Generated clients call these; the bytes are encoded messages.
public protocol ClientTransport: Sendable {
  /// Makes a unary call.
  ///
  /// - Returns: The encoded response message.
  func unary(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  )
    async throws(RPCError) -> [UInt8]

  /// Starts a server-streaming call.
  ///
  /// - Returns: The encoded response messages. Ending the iteration early cancels the call.
  func serverStreaming(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    options: CallOptions
  )
    -> ResponseStream
}
