/// When each call of an open loop begins, whatever became of the calls before.
///
/// A call's latency counts from then on: a server that hangs for a second delays all calls of that
/// second, and not only the one that was under way (coordinated omission).
public struct CallSchedule: Hashable, Sendable {
  /// A stretch of time in which the rate goes evenly from one value to another.
  private struct Stretch: Hashable {
    /// Seconds; infinite for the last of a constant rate.
    let length: Double
    let from: Double
    let to: Double

    var calls: Double { from == to ? from * length : (from + to) / 2 * length }

    /// Seconds after which so many calls have begun: from·t + (to − from)·t²/2·length = calls.
    func time(of calls: Double) -> Double {
      let slope = (to - from) / length
      guard abs(slope) > 1e-9 else { return calls / from }
      return ((from * from + 2 * slope * calls).squareRoot() - from) / slope
    }
  }

  private let stretches: [Stretch]

  /// This many calls per second, without end; above 0.
  public static func constant(_ rate: Double) -> Self {
    precondition(rate > 0, "a rate is above 0")
    return Self(stretches: [Stretch(length: .infinity, from: rate, to: rate)])
  }

  /// A rate that rises or falls evenly; calls per second, above 0.
  public static func line(from: Double, to: Double, over duration: Duration) -> Self {
    precondition(from > 0 && to > 0 && duration > .zero, "rates and durations are above 0")
    return Self(stretches: [Stretch(length: duration / .seconds(1), from: from, to: to)])
  }

  /// A rate that changes in steps of the same length; at least two.
  public static func steps(_ count: Int, from: Double, to: Double, over duration: Duration) -> Self
  {
    precondition(
      from > 0 && to > 0 && duration > .zero && count > 1,
      "steps lead from rate to rate"
    )
    let length = duration / .seconds(1) / Double(count)
    return Self(
      stretches: (0..<count).map { step in
        let rate = from + (to - from) * Double(step) / Double(count - 1)
        return Stretch(length: length, from: rate, to: rate)
      }
    )
  }

  /// When a call begins, counted from the begin of the schedule.
  ///
  /// - Parameter number: Which call, from 0.
  /// - Returns: The time; `nil` when the schedule is over by then.
  public func start(ofCall number: Int) -> Duration? {
    var (calls, seconds) = (Double(number), 0.0)
    for stretch in stretches {
      if calls < stretch.calls { return .seconds(seconds + stretch.time(of: calls)) }
      calls -= stretch.calls
      seconds += stretch.length
    }
    return nil
  }
}
