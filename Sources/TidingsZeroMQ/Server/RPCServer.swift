internal import TidingsRPC
internal import TidingsThreads

/// A server: sockets, bound, and the thread that answers on them.
public final class RPCServer: Sendable {
  /// Where calls go, as bound; the port is the real one.
  public let endpoint: String
  /// Where published messages come from, as bound.
  public let pushEndpoint: String?

  private let inbox: Mailbox<LoopMessage>
  private let jobs: Mailbox<LoopJob>
  private let ended: OneTimeSignal

  /// Most closures that wait for the loop thread.
  public static let jobsMax = 4096

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - configuration: Where to listen, and the limits.
  ///   - setup: Runs on the loop thread once both sockets are bound and before the first call is
  ///     taken: registers services and handlers, sets the `LoopDelegate`. What it makes and the loop
  ///     keeps need not be `Sendable`.
  /// - Returns: The server, once it answers.
  /// - Throws: `TransportError` when an endpoint cannot be bound; what `setup` throws.
  public static func start(
    _ configuration: ServerConfiguration,
    setup: @escaping @Sendable (LoopContext) throws -> Void
  ) async throws -> RPCServer {
    let (inbox, ended) = (Mailbox<LoopMessage>(), OneTimeSignal())
    let jobs = Mailbox<LoopJob>(countMax: jobsMax)
    let bound = try await withCheckedThrowingContinuation { ready in
      do {
        try startLoopThread("tidings-server") {
          Self.runThread(configuration, inbox, jobs, setup, ready)
          _ = jobs.close()
          _ = inbox.close()
          ended.fire()
        }
      } catch {
        ready.resume(throwing: error)
      }
    }
    return RPCServer(bound, inbox, jobs, ended)
  }

  /// Runs a closure on the loop thread, in its next turn.
  ///
  /// - Returns: `false` when too many wait already; the closure will not run.
  public func submit(_ job: @escaping @Sendable (LoopContext) -> Void) -> Bool { jobs.send(job) }

  /// Stops the server; further calls of this wait for the same end.
  ///
  /// New calls are answered UNAVAILABLE, running ones finish, answers are flushed, the sockets
  /// closed.
  ///
  /// - Parameter grace: After this, running calls are cancelled and answered UNAVAILABLE.
  public func stop(grace: Duration = .seconds(5)) async {
    inbox.send(.stop(grace: grace))
    await ended.wait()
  }

  /// Returns when the server has ended, whether it was stopped or its sockets failed.
  public func waitUntilEnded() async { await ended.wait() }

  deinit { inbox.send(.stop(grace: .zero)) }

  private typealias Bound = (endpoint: String, pushEndpoint: String?)

  private init(
    _ bound: Bound,
    _ inbox: Mailbox<LoopMessage>,
    _ jobs: Mailbox<LoopJob>,
    _ ended: OneTimeSignal
  ) {
    (endpoint, pushEndpoint) = bound
    self.inbox = inbox
    self.jobs = jobs
    self.ended = ended
  }

  private static func runThread(
    _ configuration: ServerConfiguration,
    _ inbox: Mailbox<LoopMessage>,
    _ jobs: Mailbox<LoopJob>,
    _ setup: @Sendable (LoopContext) throws -> Void,
    _ ready: CheckedContinuation<Bound, any Error>
  ) {
    // It goes after the sockets that it guards.
    let admission = serve(configuration, inbox, jobs, setup, ready)
    admission?.stop()
  }

  private static func serve(
    _ configuration: ServerConfiguration,
    _ inbox: Mailbox<LoopMessage>,
    _ jobs: Mailbox<LoopJob>,
    _ setup: @Sendable (LoopContext) throws -> Void,
    _ ready: CheckedContinuation<Bound, any Error>
  ) -> ZAPHandler? {
    let loop: LoopContext
    let turns: ServerLoop
    do {
      loop = try LoopContext(configuration, inbox: inbox, remote: LoopRemote(jobs: jobs))
      try setup(loop)
      try loop.admit()
      turns = try ServerLoop(loop, jobs: jobs)
    } catch {
      ready.resume(throwing: error)
      return nil
    }
    ready.resume(returning: (loop.endpoint, loop.pushEndpoint))
    do {
      try turns.run()
    } catch {
      // A socket of ours failed other than by what peers do: there is nothing to serve on.
      loop.perform(loop.calls.endAll(.init(.unavailable, "the server's socket failed: \(error)")))
    }
    return loop.admission
  }
}
