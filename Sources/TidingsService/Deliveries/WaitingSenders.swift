internal import TidingsRPC
internal import TidingsZeroMQ

/// Answers senders that wait for something to send.
final class WaitingSenders {
  private var waits = DeliveryWaits()
  /// Senders may wait; else all are answered at once, for a server that drains.
  var letsCallsWait = true

  /// Changes with whatever may be sent.
  var generation: UInt64 { waits.generation }

  /// When `timerFired` is due; `nil`: never.
  var nextTimer: ContinuousClock.Instant? { waits.nextTimer }

  /// Lets a sender wait, or answers it.
  ///
  /// - Throws: `RPCError` when too many wait.
  func wait(
    _ token: ReplyToken,
    after seen: UInt64,
    until end: ContinuousClock.Instant,
    on loop: LoopContext
  ) throws(RPCError) {
    guard end > loop.now, letsCallsWait else { return answer([token], on: loop) }
    switch waits.park(token, after: seen, until: end) {
    case .waits: break
    case .isDue: answer([token], on: loop)
    case .isFull: throw .tooManyWaits
    }
  }

  /// Something to send is durable.
  func committed(on loop: LoopContext) { answer(waits.committed(loop.now), on: loop) }

  func timerFired(on loop: LoopContext) {
    guard let timer = waits.nextTimer, timer <= loop.now else { return }
    answer(waits.timerFired(loop.now), on: loop)
  }

  func connectionsEnded(_ connections: [UInt64], _ loop: LoopContext) {
    for token in waits.take(on: connections) { loop.abandon(token) }
  }

  /// Ends the wait of a call that its caller cancelled.
  func cancel(_ token: ReplyToken, on loop: LoopContext) {
    if let token = waits.take(token) { loop.fail(token.afterWait, .cancelledByClient) }
  }

  /// Answers all that wait: the server takes no more calls.
  func stop(on loop: LoopContext) {
    letsCallsWait = false
    answer(waits.takeAll(), on: loop)
  }

  private func answer(_ tokens: [ReplyToken], on loop: LoopContext) {
    for token in tokens { loop.reply(token, body: [UInt8]()) }
  }
}
