internal import TidingsRPC

/// Whether callers call too fast, or on too many connections.
///
/// Looks at the caller of a call only if there is a bound on rates, or once in a while for each
/// connection: a call on a connection that was just heard of costs nothing more.
struct CallerAdmission {
  /// What became of a call.
  enum Outcome {
    case admitted
    /// More calls than the caller may make in a second, and how long until the next one.
    case tooEarly(perSecond: Int, retryAfter: Duration)
    /// More connections than the caller may have.
    case tooManyConnections(Int)
  }

  /// Users may have bounds on their rates.
  var boundsRates = false

  private var rates = CallRates()
  private var census = PeerCensus<Envelope>()
  private var bounds: [CallerKey: CallerBounds] = [:]
  /// Connections heard of since `renewal` was set, each at the place of its hash.
  private var recent = [Envelope?](repeating: nil, count: CallerAdmission.recentCount)
  private var renewal = ContinuousClock.now

  private static let recentCount = 256
  private static let renewalPause = Duration.seconds(10)
  private static let boundsKeptMax = 100_000

  /// Judges a call.
  ///
  /// - Parameters:
  ///   - peer: Its connection.
  ///   - now: The current time.
  ///   - caller: Who calls; asked only if it matters.
  ///   - lookUp: What the caller may do; asked only if it is not remembered.
  /// - Returns: Whether the call may be begun.
  mutating func judge(
    _ peer: Envelope,
    now: ContinuousClock.Instant,
    caller: () -> CallerKey,
    lookUp: () -> CallerBounds
  ) -> Outcome {
    if renewal <= now { renew(now) }
    let place = peer.place & (Self.recentCount - 1)
    let isRecent = recent[place] == peer
    guard !isRecent || boundsRates else { return .admitted }
    let key = caller()
    let bounds = bounds(of: key, lookUp)
    if !isRecent {
      guard census.admits(peer, of: key, countMax: bounds.connectionsMax, now: now) else {
        return .tooManyConnections(bounds.connectionsMax)
      }
      recent[place] = peer
    }
    guard boundsRates, bounds.callsPerSecondMax > 0,
      let wait = rates.take(key, perSecond: bounds.callsPerSecondMax, now: now)
    else { return .admitted }
    return .tooEarly(perSecond: bounds.callsPerSecondMax, retryAfter: wait)
  }

  /// The bounds of callers have changed.
  mutating func forgetBounds() { bounds.removeAll(keepingCapacity: true) }

  private mutating func bounds(of caller: CallerKey, _ lookUp: () -> CallerBounds) -> CallerBounds {
    if let known = bounds[caller] { return known }
    if bounds.count >= Self.boundsKeptMax { forgetBounds() }
    let found = lookUp()
    bounds[caller] = found
    return found
  }

  private mutating func renew(_ now: ContinuousClock.Instant) {
    renewal = now.advanced(by: Self.renewalPause)
    for place in recent.indices { recent[place] = nil }
  }
}
