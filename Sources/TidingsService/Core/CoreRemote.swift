internal import TidingsEngine
internal import TidingsRPC
internal import TidingsZeroMQ

/// Lets tasks use the store: what they ask for is done on the loop, in a group with the calls of its
/// turn.
struct CoreRemote: Sendable {
  private let loop: LoopRemote

  /// The way to the core on a loop.
  init(_ loop: LoopRemote) { self.loop = loop }

  /// Works on the store.
  ///
  /// - Parameter body: Must be short: all callers wait meanwhile.
  /// - Returns: What `body` returned, once it is durable.
  /// - Throws: What `body` throws, and why the group was not kept.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (Engine) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { waiting in
      let isTaken = loop.submit { loop in
        guard let core = loop.turn as? Core else {
          return waiting.resume(throwing: RPCError(.unavailable, "the server is stopping"))
        }
        core.work(.write, body, on: loop) { waiting.resume(with: $0) }
      }
      if !isTaken {
        waiting.resume(throwing: RPCError(.unavailable, "the server is busy or stopping"))
      }
    }
  }

  /// Asks the core something, outside of its groups.
  ///
  /// - Parameter body: Must be short: all callers wait meanwhile.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` throws; `RPCError` when the server is stopping.
  func ask<Value: Sendable>(
    _ body: @escaping @Sendable (Core) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { waiting in
      let isTaken = loop.submit { loop in
        guard let core = loop.turn as? Core else {
          return waiting.resume(throwing: RPCError(.unavailable, "the server is stopping"))
        }
        waiting.resume(with: Result { try body(core) })
      }
      if !isTaken {
        waiting.resume(throwing: RPCError(.unavailable, "the server is busy or stopping"))
      }
    }
  }
}
