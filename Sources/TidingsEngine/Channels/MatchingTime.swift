/// How long changes were compared with subscriptions, while somebody measures that.
public struct MatchingTime: Sendable {
  /// When the first comparison began; `nil`: nothing was compared.
  public var begin: ContinuousClock.Instant?
  /// All comparisons together.
  public var duration = Duration.zero
  /// How many changes there were.
  public var changes = 0
}
