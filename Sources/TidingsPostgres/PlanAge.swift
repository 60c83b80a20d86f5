/// When a connection's plans are made again.
///
/// The server plans a statement once for a connection, by the sizes of the tables at that time: where a table has
/// few rows, reading all of it is the best plan. The server keeps that plan while the table grows, until it
/// analyzes the table. So the connection discards its plans: soon while it is new, as its tables may be, later
/// after pauses that grow.
struct PlanAge {
  static let firstPause = Duration.milliseconds(50)
  static let longestPause = Duration.seconds(5)

  private var pause = PlanAge.firstPause
  private var begun: ContinuousClock.Instant?

  /// A transaction begins.
  ///
  /// - Parameters:
  ///   - now: When.
  ///   - isAlwaysOver: They are too old for each transaction.
  /// - Returns: Whether the plans are too old.
  mutating func isOver(at now: ContinuousClock.Instant, isAlwaysOver: Bool = false) -> Bool {
    guard let begun else {
      begun = now
      return isAlwaysOver
    }
    guard isAlwaysOver || begun.duration(to: now) >= pause else { return false }
    (self.begun, pause) = (now, min(pause * 2, Self.longestPause))
    return true
  }

  /// A new session has no plans.
  mutating func sessionBegan() { self = PlanAge() }
}
