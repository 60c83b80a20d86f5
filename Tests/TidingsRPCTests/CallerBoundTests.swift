import RandomSupport
import Testing
import TidingsRPC

@Suite("bounds of callers") struct CallerBoundTests {
  private static let callersMax = 20_000
  private let start = ContinuousClock.now

  private func at(_ milliseconds: Int) -> ContinuousClock.Instant {
    start.advanced(by: .milliseconds(milliseconds))
  }

  @Test("after a burst of a second's calls, one is reported exactly when the next may come")
  func burst() {
    var rate = CallRate(now: start)
    for _ in 0..<4 { #expect(rate.take(perSecond: 4, now: start) == nil) }
    #expect(rate.take(perSecond: 4, now: start) == .milliseconds(250))
    #expect(rate.take(perSecond: 4, now: at(100)) == .milliseconds(150))
    #expect(rate.take(perSecond: 4, now: at(250)) == nil)
    #expect(rate.take(perSecond: 4, now: at(250)) == .milliseconds(250))
    // A long silence fills the bucket, and no more than that.
    for _ in 0..<4 { #expect(rate.take(perSecond: 4, now: at(60_000)) == nil) }
    #expect(rate.take(perSecond: 4, now: at(60_000)) == .milliseconds(250))
    #expect(!rate.isFull(at(60_999)) && rate.isFull(at(61_000)))
  }

  @Test("against a bucket of tokens", arguments: [1, 3, 7, 1_000, 1_000_000])
  func model(perSecond: Int) {
    var random = SplitMix64(seed: UInt64(perSecond))
    var rate = CallRate(now: start)
    // In billionths of a token and nanoseconds, without rounding.
    let (full, token) = (perSecond * 1_000_000_000, 1_000_000_000)
    var (tokens, now) = (full, 0)
    for _ in 0..<20_000 {
      let step = random.below(Int(3_000_000_000 / perSecond))
      now += step
      tokens = min(full, tokens + step * perSecond)
      let wait = rate.take(perSecond: perSecond, now: start.advanced(by: .nanoseconds(now)))
      // The even rate is rounded to attoseconds.
      if abs(tokens - token) > perSecond { #expect((wait == nil) == (tokens >= token)) }
      if wait == nil { tokens -= token }
      if let wait { #expect(wait <= .seconds(1) / perSecond) }
    }
  }

  @Test("callers have buckets of their own; those that are full are forgotten")
  func rates() {
    var rates = CallRates(callersMax: Self.callersMax)
    let (ada, bob) = (CallerKey(user: "ada"), CallerKey(user: "bob"))
    #expect(rates.take(ada, perSecond: 1, now: start) == nil)
    #expect(rates.take(ada, perSecond: 1, now: start) == .seconds(1))
    #expect(rates.take(bob, perSecond: 1, now: start) == nil)
    for number in 0..<10_000 {
      let caller = CallerKey(user: "user\(number)")
      #expect(rates.take(caller, perSecond: 1, now: at(2_000 * number)) == nil)
    }
    #expect(rates.count <= 1_025)
    // However many call within a second, memory is bounded.
    for number in 0..<Self.callersMax + 1_000 {
      _ = rates.take(CallerKey(user: "other\(number)"), perSecond: 1, now: at(30_000_000))
    }
    #expect(rates.count <= Self.callersMax)
    #expect(rates.take(CallerKey(user: "late"), perSecond: 1, now: at(30_000_000)) != nil)
    #expect(rates.take(CallerKey(user: "late"), perSecond: 1, now: at(30_002_000)) == nil)
  }

  @Test("with as many callers as are remembered, they are looked through once a second at most")
  func sweeps() {
    var rates = CallRates(callersMax: Self.callersMax)
    for number in 0..<Self.callersMax {
      let perSecond = number % 4 == 0 ? 1_000 : 1
      _ = rates.take(CallerKey(user: "user\(number)"), perSecond: perSecond, now: start)
    }
    func countAfterNewCaller(_ name: String, _ milliseconds: Int) -> Int {
      _ = rates.take(CallerKey(user: name), perSecond: 1, now: at(milliseconds))
      return rates.count
    }
    #expect(countAfterNewCaller("first", 0) == Self.callersMax)
    // The fast ones are as good as new: no reason to look through all for each new caller.
    #expect(countAfterNewCaller("second", 500) == Self.callersMax)
    #expect(countAfterNewCaller("third", 999) == Self.callersMax)
    #expect(countAfterNewCaller("fourth", 1_000) == 1)
  }

  @Test("a caller has so many connections, which count until they end")
  func counts() {
    var counter = PeerCounter<Int>()
    let (ada, bob) = (CallerKey(user: "ada"), CallerKey(user: "bob"))
    func admits(_ peer: Int, _ caller: CallerKey, max: Int = 2) -> Bool {
      counter.admits(peer, of: caller, countMax: max)
    }
    #expect(admits(1, ada) && admits(2, ada))
    #expect(!admits(3, ada))
    #expect(admits(1, ada) && admits(3, bob))
    // A connection counts for the one who called on it first.
    #expect(admits(3, ada) && !admits(4, ada))
    counter.ended(2)
    #expect(admits(4, ada) && !admits(2, ada))
    #expect(admits(5, ada, max: 0) && admits(6, ada, max: 0))
    #expect(counter.count == 5)
    counter.ended(7)
    for peer in 1...6 { counter.ended(peer) }
    #expect(counter.count == 0 && admits(1, ada) && admits(2, ada) && !admits(3, ada))
  }
}
