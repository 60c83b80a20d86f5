/// Counters of a loop since its start.
public struct LoopCounters: Hashable, Sendable {
  /// Requests to start a call.
  public var calls: UInt64 = 0
  /// Calls answered with a status other than OK.
  public var callsFailed: UInt64 = 0
  /// Messages that could not be decoded as a request.
  public var requestsMalformed: UInt64 = 0
  /// Requests that were handed on to the node that leads.
  public var callsForwarded: UInt64 = 0
  /// Messages published.
  public var pushes: UInt64 = 0
  /// Messages that were published and not sent, because too many waited.
  public var pushesDropped: UInt64 = 0
  /// Answers to clients that had disconnected.
  public var repliesUndeliverable: UInt64 = 0
  /// Answers that were delayed because the client did not read.
  public var repliesDelayed: UInt64 = 0
  /// Rejections that were dropped because the client does not read and too many are queued for it.
  ///
  /// The rejected calls were not started.
  public var refusalsDropped: UInt64 = 0
  /// Messages that were received after their connection was closed.
  public var messagesOfEnded: UInt64 = 0
  /// Connections that the server closed, because they were idle or exceeded limits.
  public var connectionsEnded: UInt64 = 0
  /// How often accepting connections was paused, for lack of file descriptors.
  public var acceptPauses: UInt64 = 0
  /// Turns that took more than 10 ms of processor time; no other message was handled meanwhile.
  public var longTurns: UInt64 = 0
  /// The longest turn, including waits for the disk.
  public var longestTurn = Duration.zero
  /// The longest turn in processor time.
  public var longestTurnOnProcessor = Duration.zero
}
