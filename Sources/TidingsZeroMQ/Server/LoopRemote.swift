internal import TidingsThreads

/// Hands closures to a server's loop thread from others.
public struct LoopRemote: Sendable {
  let jobs: Mailbox<LoopJob>

  /// Runs a closure on the loop thread, in its next turn.
  ///
  /// - Returns: `false` when the loop has ended or too many wait already; the closure will not run.
  @discardableResult
  public func submit(_ job: @escaping @Sendable (LoopContext) -> Void) -> Bool { jobs.send(job) }
}
