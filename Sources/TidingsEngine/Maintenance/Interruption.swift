/// Ends a query that nobody waits for any more, or that takes too long.
final class Interruption {
  /// Steps between two checks: well below a millisecond.
  private static let stepsPerCheck = 256

  /// Throws when the query is to end.
  var check: (() throws -> Void)?
  private var steps = 0

  /// The query goes on to a row or to a zone.
  func step() throws {
    steps += 1
    guard steps >= Self.stepsPerCheck else { return }
    steps = 0
    try check?()
  }
}
