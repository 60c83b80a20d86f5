internal import TidingsModel

extension Engine {
  /// So many events are stored in a transaction with other calls.
  static let eventsAtOnceMax = 300

  /// Refuses several changes in one call that fire too much together, and begins what takes long only where it can pause.
  ///
  /// - Parameters:
  ///   - count: How many events there will be.
  ///   - changeCount: Of how many changes; one alone is never refused.
  ///   - refusal: What to say, and what to do.
  /// - Throws: `ItemError` `limitExceeded`; `LongCall`.
  func checkEvents(
    _ count: Int,
    ofChanges changeCount: Int,
    else refusal: @autoclosure () -> String
  ) throws {
    guard count <= limits.eventsPerCallMax || changeCount == 1 else {
      throw ItemError(.limitExceeded, refusal())
    }
    if count > Self.eventsAtOnceMax { try pace.requirePauses() }
  }
}
