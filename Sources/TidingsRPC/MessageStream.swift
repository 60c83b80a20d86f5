public import TidingsProtobuf

/// The messages of a server-streaming call, decoded as they arrive.
///
/// The rules of `ResponseStream` apply: one task iterates, once, and leaving early cancels the call.
public struct MessageStream<M: Message>: AsyncSequence, Sendable {
  /// A message.
  public typealias Element = M
  /// How the call failed.
  public typealias Failure = RPCError

  private let responses: ResponseStream

  /// Decodes the messages of a stream.
  public init(_ responses: ResponseStream) { self.responses = responses }

  /// Begins the one iteration.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(responses: responses.makeAsyncIterator())
  }

  /// Iterates over the messages.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var responses: ResponseStream.AsyncIterator

    /// Waits for the next message.
    ///
    /// - Returns: The message; `nil` after the last one.
    /// - Throws: The status of a call that failed; `internal` for bytes that are not a message.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RPCError) -> M? {
      guard let bytes = try await responses.next(isolation: actor) else { return nil }
      do {
        return try M(decoding: bytes)
      } catch {
        throw RPCError(.internal, "the response is not valid: \(error)", cause: error)
      }
    }

    /// Waits for the next message.
    ///
    /// - Returns: The message; `nil` after the last one.
    /// - Throws: The status of a call that failed.
    public mutating func next() async throws(RPCError) -> M? {
      try await next(isolation: #isolation)
    }
  }
}
