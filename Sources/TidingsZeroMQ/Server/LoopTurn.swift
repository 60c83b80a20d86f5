/// Takes part in the loop's turns: collects work in inline handlers and does it at a turn's end.
///
/// All is called on the loop thread. What arrives while a turn's end is at work (a commit, for
/// example) waits in the socket and forms the next turn, so that groups come by themselves.
public protocol LoopTurn: AnyObject {
  /// Everything that had arrived is handled: commit, answer the kept tokens, publish.
  func turnEnded(_ loop: LoopContext)
  /// When `timerFired` is to be called; read after each turn.
  var nextTimer: ContinuousClock.Instant? { get }
  /// The moment of `nextTimer` has come; a turn's end follows.
  func timerFired(_ loop: LoopContext)
  /// Connections have ended: what their calls wait for is not needed any more.
  ///
  /// - Parameters:
  ///   - connections: As `ReplyToken.connection` names them.
  ///   - loop: Whose connections they were.
  func connectionsEnded(_ connections: [UInt64], _ loop: LoopContext)
  /// The last call: answer what is still kept; the sockets are closed after it.
  func stopping(_ loop: LoopContext)
}

extension LoopTurn {
  /// No timer.
  public var nextTimer: ContinuousClock.Instant? { nil }
  /// Nothing to do.
  public func timerFired(_ loop: LoopContext) {}
  /// Nothing to do: answers find nobody.
  public func connectionsEnded(_ connections: [UInt64], _ loop: LoopContext) {}
  /// Nothing to do.
  public func stopping(_ loop: LoopContext) {}
}
