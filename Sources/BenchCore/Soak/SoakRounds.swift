/// Compares calls during each activity with calls alone, one round of activities at a time.
///
/// What an activity costs, it costs whenever it runs. A disk that stands still now and then does so in some rounds, whatever
/// runs in them.
struct SoakRounds: Sendable {
  /// Fewer calls than this have no p99 that says anything; rounds with fewer are taken together.
  private let callsMin: Int
  private var round = 0
  private var current: [SoakKey: LatencyHistogram] = [:]
  private var pending: [SoakKey: Pair] = [:]
  private(set) var comparisons: [SoakKey: [SoakComparison]] = [:]

  private struct Pair {
    var during = LatencyHistogram()
    var alone = LatencyHistogram()
  }

  init(callsMin: Int) { self.callsMin = callsMin }

  /// Goes on in a round, and ends the one before if it is another one.
  mutating func enter(_ round: Int) {
    if round != self.round { finish() }
    self.round = round
  }

  mutating func record(_ latency: UInt64, _ key: SoakKey) {
    guard key.activity.map(SoakActivity.compared.contains) ?? true else { return }
    current[key, default: LatencyHistogram()].record(latency)
  }

  /// Ends the round.
  mutating func finish() {
    for (key, alone) in current where key.activity == nil {
      for activity in SoakActivity.compared { note(alone, of: key.kind, during: activity) }
    }
    current = [:]
  }

  private mutating func note(
    _ alone: LatencyHistogram,
    of kind: String,
    during activity: SoakActivity
  ) {
    let key = SoakKey(kind: kind, activity: activity)
    guard let during = current[key] else { return }
    var pair = pending.removeValue(forKey: key) ?? Pair()
    pair.during.merge(during)
    pair.alone.merge(alone)
    guard min(pair.during.count, pair.alone.count) >= callsMin else {
      pending[key] = pair
      return
    }
    comparisons[key, default: []].append(
      SoakComparison(
        during: Double(pair.during.percentile(0.99)) / 1_000,
        alone: Double(pair.alone.percentile(0.99)) / 1_000
      )
    )
  }
}

/// What calls are about, and what ran beside them.
struct SoakKey: Hashable, Sendable {
  let kind: String
  /// `nil`: nothing beside the calls.
  let activity: SoakActivity?
}

/// How long calls of one kind took in a round, beside an activity and without any.
public struct SoakComparison: Codable, Hashable, Sendable {
  /// Microseconds that 99 % of the calls during the activity did not exceed.
  public var during: Double
  /// Microseconds that 99 % of the calls alone did not exceed.
  public var alone: Double

  /// How many times as long calls took; what a busy processor alone adds does not count.
  func ratio(_ tolerance: SoakTolerance) -> Double {
    max(during, tolerance.leastP99) / max(alone, tolerance.leastP99)
  }
}
