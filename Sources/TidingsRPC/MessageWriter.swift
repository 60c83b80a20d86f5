public import TidingsProtobuf

/// Where a streaming handler writes its messages.
public struct MessageWriter<M: Message>: Sendable {
  private let writer: any ResponseWriter

  /// Encodes messages for a writer of bytes.
  public init(_ writer: any ResponseWriter) { self.writer = writer }

  /// Sends a message; waits until the client has credit for it.
  ///
  /// - Throws: `cancelled` when the client gave up, `deadlineExceeded` when the deadline passed.
  public func write(_ message: M) async throws(RPCError) {
    try await writer.write(message.encoded())
  }
}
