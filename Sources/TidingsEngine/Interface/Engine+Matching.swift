extension Engine {
  /// Measures how long changes are compared with subscriptions from now on.
  public func beginMeasuringMatching() { channels.registry.watched.matchingTime = MatchingTime() }

  /// Ends the measurement.
  ///
  /// - Returns: What was measured; `nil`: nothing was.
  public func endMeasuringMatching() -> MatchingTime? {
    channels.registry.watched.matchingTime.take()
  }

  /// How many events the open transaction has stored so far.
  public var pendingEventCount: Int { events.store.pendingCount }
}
