/// What a loop did since its start.
public struct LoopCounters: Hashable, Sendable {
  /// Requests to start a call.
  public var calls: UInt64 = 0
  /// Calls answered with a status other than OK.
  public var callsFailed: UInt64 = 0
  /// Messages that could not be read as a request.
  public var requestsMalformed: UInt64 = 0
  /// Messages published.
  public var pushes: UInt64 = 0
  /// Answers whose client was gone.
  public var repliesUndeliverable: UInt64 = 0
  /// Answers that waited because their client did not read.
  public var repliesDelayed: UInt64 = 0
  /// Refusals not sent because their client, which does not read, has too many waiting already.
  ///
  /// The calls they refuse were not begun.
  public var refusalsDropped: UInt64 = 0
  /// Messages that were received after their connection had ended.
  public var messagesOfEnded: UInt64 = 0
  /// Connections that the server ended: they were used for nothing, or for too much.
  public var connectionsEnded: UInt64 = 0
  /// How often no more connections were taken, for want of descriptors.
  public var doorsShut: UInt64 = 0
  /// Turns that took more than 10 ms of a processor's time; no other message was handled meanwhile.
  public var longTurns: UInt64 = 0
  /// The longest turn, with what it waited for the disk.
  public var longestTurn = Duration.zero
  /// The most time of a processor that a turn took.
  public var longestTurnOnProcessor = Duration.zero
}
