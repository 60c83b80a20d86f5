/// How many calls an open loop makes in a second.
public enum OpenLoopRate: Hashable, Sendable {
  /// So many.
  case perSecond(Double)
  /// So much of what a closed loop reached just before.
  case percent(Double)

  /// Reads `10000` or `50%`; `nil` when it is neither, or out of all reason.
  public init?(_ text: String) {
    let isPercent = text.hasSuffix("%")
    guard let number = Double(isPercent ? text.dropLast() : text[...]), number > 0,
      number <= (isPercent ? 100 : 10_000_000)
    else { return nil }
    self = isPercent ? .percent(number) : .perSecond(number)
  }

  /// Calls per second, given a way to measure the maximum.
  public func callsPerSecond<Failure: Error>(
    maximum: () throws(Failure) -> Double
  ) throws(Failure) -> Double {
    switch self {
    case .perSecond(let rate): rate
    case .percent(let percent): try maximum() * percent / 100
    }
  }
}
