/// What a figure comes down to: one number that is compared with a target.
public struct Score: Codable, Hashable, Sendable {
  /// Which way is better.
  public enum Direction: String, Codable, Sendable {
    /// Less is better: the target is an upper bound.
    case atMost
    /// More is better: the target is a lower bound.
    case atLeast

    fileprivate func isSatisfied(_ value: Double, _ bound: Double) -> Bool {
      self == .atMost ? value <= bound : value >= bound
    }
  }

  /// The median over the rounds.
  public let value: Double
  /// The least of the rounds.
  public let least: Double
  /// The greatest of the rounds.
  public let greatest: Double
  /// What the number is, for example `× baseline p50`.
  public let unit: String
  /// Which way is better.
  public let direction: Direction
  /// What is to be reached; `nil`: the number is information.
  public let target: Double?
  /// Whether the target is reached; `nil` without one.
  public let isReached: Bool?

  /// A score from the numbers of the rounds, at least one.
  public init(rounds: [Double], unit: String, _ direction: Direction, target: Double? = nil) {
    precondition(!rounds.isEmpty, "a score of something")
    let value = rounds.median
    self.value = value
    least = rounds.reduce(.infinity, Swift.min)
    greatest = rounds.reduce(-.infinity, Swift.max)
    self.unit = unit
    self.direction = direction
    self.target = target
    isReached = target.map { direction.isSatisfied(value, $0) }
  }

  /// Compares latencies round by round.
  public static func latency(
    _ rounds: [Measurement],
    against baseline: [Measurement],
    target: Double? = nil
  ) -> Score {
    Score(
      rounds: zip(rounds, baseline).map { $0.p50 / $1.p50 },
      unit: "× baseline p50",
      .atMost,
      target: target
    )
  }

  /// Compares rates round by round.
  public static func rate(
    _ rounds: [Measurement],
    against baseline: [Measurement],
    target: Double? = nil
  ) -> Score {
    Score(
      rounds: zip(rounds, baseline).map { $0.perSecond / $1.perSecond },
      unit: "× baseline rate",
      .atLeast,
      target: target
    )
  }

  /// Whether the number is as good as a bound.
  public func satisfies(_ bound: Double) -> Bool { direction.isSatisfied(value, bound) }
}
