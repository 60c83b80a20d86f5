/// How fast a caller calls: a bucket that holds the calls of one second and is filled at an even rate.
///
/// A value without clock. It remembers one moment: the one at which the bucket is full again.
public struct CallRate: Sendable {
  private var full: ContinuousClock.Instant

  /// A full bucket.
  public init(now: ContinuousClock.Instant) { full = now }

  /// Takes a token for a call.
  ///
  /// - Parameters:
  ///   - perSecond: Calls in a second, and in a burst after a second's silence; 1 or more.
  ///   - now: The current time.
  /// - Returns: `nil`: it has one; otherwise how long until there is one.
  public mutating func take(perSecond: Int, now: ContinuousClock.Instant) -> Duration? {
    let interval = Duration.seconds(1) / perSecond
    let refilled = max(full, now)
    let wait = now.duration(to: refilled) + interval - .seconds(1)
    if wait > .zero { return wait }
    full = refilled.advanced(by: interval)
    return nil
  }

  /// It is as good as a new one.
  public func isFull(_ now: ContinuousClock.Instant) -> Bool { full <= now }
}

/// The buckets of all callers; those that are full are forgotten.
public struct CallRates: Sendable {
  /// Most callers with a bucket of their own; more within a second share one.
  private let callersMax: Int

  private var rates: [CallerKey: CallRate] = [:]
  private var shared: CallRate?
  private var sweepCount = 1_024
  /// When they are looked through again at the earliest: if most of them stayed, that was in vain.
  private var nextSweep: ContinuousClock.Instant?

  /// No caller has called.
  ///
  /// - Parameter callersMax: Most callers with a bucket of their own; more within a second share one.
  public init(callersMax: Int) { self.callersMax = callersMax }

  /// How many callers are remembered.
  public var count: Int { rates.count }

  /// Takes a token for a call.
  ///
  /// - Parameters:
  ///   - caller: Who calls.
  ///   - perSecond: Calls in a second, and in a burst after a second's silence; 1 or more.
  ///   - now: The current time.
  /// - Returns: `nil`: there is one; otherwise how long until there is one.
  public mutating func take(
    _ caller: CallerKey,
    perSecond: Int,
    now: ContinuousClock.Instant
  ) -> Duration? {
    if let index = rates.index(forKey: caller) {
      return rates.values[index].take(perSecond: perSecond, now: now)
    }
    if rates.count >= sweepCount, nextSweep.map({ $0 <= now }) ?? true { sweep(now) }
    guard rates.count < callersMax else {
      var rate = shared ?? CallRate(now: now)
      defer { shared = rate }
      return rate.take(perSecond: perSecond, now: now)
    }
    var rate = CallRate(now: now)
    defer { rates[caller] = rate }
    return rate.take(perSecond: perSecond, now: now)
  }

  private mutating func sweep(_ now: ContinuousClock.Instant) {
    rates = rates.filter { !$0.value.isFull(now) }
    sweepCount = min(max(2 * rates.count, 1_024), callersMax)
    // Without room for as many again, only time makes room: within a second any bucket is full.
    nextSweep = rates.count > callersMax / 2 ? now.advanced(by: .seconds(1)) : nil
  }
}
