/// How much one piece of a removal may do.
struct PieceBudget {
  /// Rows that may still be removed, and events that may still be stored.
  private(set) var rowsLeft: Int
  private let deadline: ContinuousClock.Instant?

  /// A piece between the turns of callers: bounded by time, since rows differ a lot in what they cost.
  static func betweenTurns() -> Self {
    Self(rowsLeft: 4_000, deadline: .now.advanced(by: .milliseconds(2)))
  }

  /// A piece within a call: bounded by rows alone, so that equal calls do the same on any machine.
  static func withinCall(rows: Int) -> Self { Self(rowsLeft: rows, deadline: nil) }

  var isSpent: Bool {
    guard rowsLeft > 0 else { return true }
    return deadline.map { $0 <= .now } ?? false
  }

  mutating func take(_ rows: Int) { rowsLeft -= rows }
}
