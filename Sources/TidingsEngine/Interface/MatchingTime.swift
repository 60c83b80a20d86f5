/// How long changes were compared with subscriptions, while somebody measures that.
public struct MatchingTime: Sendable {
  /// When the first comparison began; `nil`: nothing was compared.
  public var begin: ContinuousClock.Instant?
  /// All comparisons together.
  public var duration = Duration.zero
  /// How many changes there were.
  public var changes = 0
}

extension Engine {
  /// Measures how long changes are compared with subscriptions from now on.
  public func beginMeasuringMatching() { channels.registry.matchingTime = MatchingTime() }

  /// Ends the measurement.
  ///
  /// - Returns: What was measured; `nil`: nothing was.
  public func endMeasuringMatching() -> MatchingTime? { channels.registry.matchingTime.take() }

  /// How many events the open transaction has stored so far.
  public var pendingEventCount: Int { events.store.pendingCount }
}
