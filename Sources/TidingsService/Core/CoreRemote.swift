internal import TidingsEngine
internal import TidingsRPC
internal import TidingsZeroMQ

/// The way to the core from other threads and from tasks: what they ask for is done on the loop's thread.
struct CoreRemote: Sendable {
  /// Unchecked: written once, and read by jobs, all on the loop's thread.
  private final class Reference: @unchecked Sendable {
    weak var core: Core?
  }

  private let loop: LoopRemote
  private let reference = Reference()

  /// The way to the core of a loop, which is to be attached to it.
  init(_ loop: LoopRemote) { self.loop = loop }

  /// From now on jobs find the core; called on the loop's thread.
  func attach(_ core: Core) { reference.core = core }

  /// Runs a closure on the loop's thread, in its next turn.
  ///
  /// - Returns: `false` when the loop has ended or too many wait already; the closure will not run.
  @discardableResult
  func submit(_ job: @escaping @Sendable (Core, LoopContext) -> Void) -> Bool {
    loop.submit { [reference] loop in
      if let core = reference.core { job(core, loop) }
    }
  }

  /// Works on the store, in a group with the calls of the turn.
  ///
  /// - Parameter body: Must be short: all callers wait meanwhile.
  /// - Returns: What `body` returned, once it is durable.
  /// - Throws: What `body` throws, and why the group was not kept.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (Engine) throws -> Value
  ) async throws -> Value {
    try await ask { core, loop, answer in
      core.calls.work(.write, body, on: loop) { answer.give($0) }
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
    try await ask { core, _, answer in answer.give(Result { try body(core) }) }
  }

  /// Asks the core and its loop something, outside of its groups; otherwise as `ask`.
  func askLoop<Value: Sendable>(
    _ body: @escaping @Sendable (Core, LoopContext) throws -> Value
  ) async throws -> Value {
    try await ask { core, loop, answer in answer.give(Result { try body(core, loop) }) }
  }

  private func ask<Value: Sendable>(
    _ body: @escaping @Sendable (Core, LoopContext, PromisedAnswer<Value>) -> Void
  ) async throws -> Value {
    try await PromisedAnswer.wait { answer in
      let isTaken = submit { core, loop in body(core, loop, answer) }
      if !isTaken {
        answer.give(.failure(RPCError(.unavailable, "the server is busy or stopping")))
      }
    }
  }
}
