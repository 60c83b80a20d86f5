public import TidingsRPC

/// Decides for a server's loop, and takes part in its turns: collects work in inline handlers and does it at
/// a turn's end.
///
/// All is called on the loop thread. What arrives while a turn's end is at work (a commit, for
/// example) waits in the socket and forms the next turn, so that groups come by themselves.
public protocol LoopDelegate: AnyObject {
  // MARK: Turns

  /// Everything that had arrived is handled: commit, answer the kept tokens, publish.
  func turnEnded(_ loop: LoopContext)
  /// When `timerFired` is to be called; read after each turn.
  var nextTimer: ContinuousClock.Instant? { get }
  /// The moment of `nextTimer` has come; a turn's end follows.
  func timerFired(_ loop: LoopContext)
  /// The last call: answer what is still kept; the sockets are closed after it.
  func stopping(_ loop: LoopContext)

  /// The loop ends at once, without `stopping`: let go of threads and of what refers to the loop.
  func abandoned(_ loop: LoopContext)

  // MARK: Calls

  /// Decides who calls, and whether the call may begin, before anything else looks at it; also for a method
  /// that does not exist.
  ///
  /// - Parameters:
  ///   - key: The number that admission gave the key of the caller's connection; `nil`: it has none.
  ///   - method: What is called; `nil`: no method of this server.
  ///   - claim: What the call's metadata says of the caller, valid for the call.
  /// - Returns: What becomes of the call.
  func admit(
    key: Int64?,
    method: @autoclosure () -> MethodDescriptor?,
    claiming claim: CallerClaim
  ) -> CallAdmission
  /// Returns what a user may do; the name is empty for guests, and for callers who say none.
  func bounds(of user: String) -> CallerBounds
  /// A call exceeds its caller's bounds: takes note of it, and says why it is refused.
  ///
  /// - Parameters:
  ///   - user: Who calls; empty for guests, and for callers who say none.
  ///   - keyNumber: The caller's key.
  ///   - callsPerSecondMax: What the caller may do.
  ///   - retryAfter: How long until there is room for a call.
  /// - Returns: The answer.
  func refusal(
    of user: String,
    keyNumber: Int64?,
    callsPerSecondMax: Int,
    retryAfter: Duration
  ) -> RPCError

  /// A call failed before it began, or as a task, with a cause that its caller does not see.
  func callFailed(_ error: RPCError, _ loop: LoopContext)
  /// A client gave up a call that is no task: if it waits for something to happen, it is answered with CANCELLED.
  ///
  /// - Parameters:
  ///   - token: Equal to that of the call, which may be answered already, or never have existed.
  ///   - loop: The loop.
  func callCancelled(_ token: ReplyToken, _ loop: LoopContext)

  // MARK: Connections

  /// Inline calls that only wait, and that a server that drains does not wait for.
  var idleCallCount: Int { get }
  /// Connections have ended: what their calls wait for is not needed any more.
  ///
  /// - Parameters:
  ///   - connections: As `ReplyToken.connection` names them.
  ///   - loop: Whose connections they were.
  func connectionsEnded(_ connections: [UInt64], _ loop: LoopContext)
  /// Keys were refused; called at most once a second.
  func handshakesRefused(_ refusals: [RefusedHandshake], _ loop: LoopContext)
  /// Accepting connections was paused, for lack of file descriptors.
  func connectionsRefused(_ loop: LoopContext)
  /// Returns for whom the topics count for which a connection with a key asks.
  func subscriber(ofKey key: Int64) -> CallerKey
  /// A connection was ended: its user, or all together, ask for more topics than there is room for.
  func connectionsEndedForTopics(_ loop: LoopContext)
  /// Connections were ended: there was no room for what they had begun to send, and they did not go on.
  func connectionsEndedForRoom(_ loop: LoopContext)
}

extension LoopDelegate {
  /// Nothing to do.
  public func turnEnded(_ loop: LoopContext) {}
  /// No timer.
  public var nextTimer: ContinuousClock.Instant? { nil }
  /// None.
  public var idleCallCount: Int { 0 }
  /// Nothing to do.
  public func timerFired(_ loop: LoopContext) {}
  /// Nothing to do.
  public func stopping(_ loop: LoopContext) {}

  /// Nothing to do.
  public func abandoned(_ loop: LoopContext) {}

  /// Every call begins, in the name of the user whom it claims.
  public func admit(
    key: Int64?,
    method: @autoclosure () -> MethodDescriptor?,
    claiming claim: CallerClaim
  ) -> CallAdmission {
    .claimed
  }
  /// No bounds.
  public func bounds(of user: String) -> CallerBounds { CallerBounds() }
  /// Refuses the call.
  public func refusal(
    of user: String,
    keyNumber: Int64?,
    callsPerSecondMax: Int,
    retryAfter: Duration
  ) -> RPCError {
    RPCError(
      .resourceExhausted,
      "limit of \(callsPerSecondMax) calls per second exceeded: retry after the delay in retry_after",
      details: [.retryInfo(after: retryAfter)]
    )
  }

  /// Nothing to do.
  public func callFailed(_ error: RPCError, _ loop: LoopContext) {}
  /// Nothing to do: no call waits.
  public func callCancelled(_ token: ReplyToken, _ loop: LoopContext) {}

  /// Nothing to do: answers find nobody.
  public func connectionsEnded(_ connections: [UInt64], _ loop: LoopContext) {}
  /// Nothing to do.
  public func handshakesRefused(_ refusals: [RefusedHandshake], _ loop: LoopContext) {}
  /// Nothing to do.
  public func connectionsRefused(_ loop: LoopContext) {}
  /// Each key for itself.
  public func subscriber(ofKey key: Int64) -> CallerKey { CallerKey(guestKey: key) }
  /// Nothing to do.
  public func connectionsEndedForTopics(_ loop: LoopContext) {}
  /// Nothing to do.
  public func connectionsEndedForRoom(_ loop: LoopContext) {}
}
