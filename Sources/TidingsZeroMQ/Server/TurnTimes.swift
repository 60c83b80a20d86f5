internal import TidingsThreads

/// How long the turns of a loop took, during which it handles no messages.
///
/// Time on the processor says what the calls of a turn cost, whatever else the machine does; the time that passed
/// includes the disk's.
struct TurnTimes {
  /// A turn is long from here on.
  static let longMin = Duration.milliseconds(10)

  private var processorTime = threadProcessorTime()

  /// Notes the end of a turn; called on the loop's thread.
  ///
  /// - Parameters:
  ///   - begin: When the turn began.
  ///   - waited: What threads used for which the loop waited.
  ///   - counters: Where it counts.
  mutating func turnEnded(
    begunAt begin: ContinuousClock.Instant,
    waitingFor waited: Duration,
    _ counters: inout LoopCounters
  ) {
    let now = threadProcessorTime()
    let used = now - processorTime + waited
    processorTime = now
    if used > Self.longMin { counters.longTurns += 1 }
    counters.longestTurn = max(counters.longestTurn, begin.duration(to: .now))
    counters.longestTurnOnProcessor = max(counters.longestTurnOnProcessor, used)
  }
}
