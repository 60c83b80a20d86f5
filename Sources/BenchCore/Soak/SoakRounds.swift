/// Compares calls during each activity with calls alone, one round of activities at a time.
///
/// What an activity costs, it costs whenever it runs. A disk that stands still now and then does so in some rounds, whatever
/// runs in them.
struct SoakRounds: Sendable {
  /// Fewer calls than this have no p99 that says anything; rounds with fewer are taken together.
  private let callsMin: Int
  private var round = 0
  private var current: [SoakKey: LatencyHistogram] = [:]
  /// Calls that are too few to be compared yet.
  private var pending: [SoakKey: Pair] = [:]
  /// Calls that were compared last: what is pending at the end is added to them.
  private var last: [SoakKey: Pair] = [:]
  private(set) var comparisons: [SoakKey: [SoakComparison]] = [:]

  private struct Pair {
    var during = LatencyHistogram()
    var alone = LatencyHistogram()

    mutating func merge(_ other: Self) {
      during.merge(other.during)
      alone.merge(other.alone)
    }

    func comparison(from callsMin: Int) -> SoakComparison? {
      guard min(during.count, alone.count) >= callsMin else { return nil }
      return SoakComparison(
        during: Double(during.percentile(0.99)) / 1_000,
        alone: Double(alone.percentile(0.99)) / 1_000
      )
    }
  }

  init(callsMin: Int) { self.callsMin = callsMin }

  /// What is recorded from now on is of this round.
  mutating func enter(_ round: Int) {
    if round != self.round { endRound() }
    self.round = round
  }

  mutating func record(_ latency: UInt64, _ key: SoakKey) {
    guard key.activity.map(SoakActivity.compared.contains) ?? true else { return }
    current[key, default: LatencyHistogram()].record(latency)
  }

  /// Ends the last round.
  mutating func finish() {
    endRound()
    for (key, pair) in pending {
      guard var whole = last[key] else { continue }
      whole.merge(pair)
      comparisons[key]?.removeLast()
      if let comparison = whole.comparison(from: callsMin) { comparisons[key]?.append(comparison) }
    }
    pending = [:]
  }

  private mutating func endRound() {
    for kind in Set(current.keys.map(\.kind)) {
      let alone = current[SoakKey(kind: kind, activity: nil)] ?? LatencyHistogram()
      for activity in SoakActivity.compared {
        let key = SoakKey(kind: kind, activity: activity)
        add(Pair(during: current[key] ?? LatencyHistogram(), alone: alone), key)
      }
    }
    current = [:]
  }

  /// Compares calls with those that were pending, as soon as they are enough.
  private mutating func add(_ pair: Pair, _ key: SoakKey) {
    var sum = pending.removeValue(forKey: key) ?? Pair()
    sum.merge(pair)
    if let comparison = sum.comparison(from: callsMin) {
      comparisons[key, default: []].append(comparison)
      last[key] = sum
    } else {
      pending[key] = sum
    }
  }
}

/// What calls are about, and what ran beside them.
struct SoakKey: Hashable, Sendable {
  let kind: String
  /// `nil`: nothing beside the calls.
  let activity: SoakActivity?
}
