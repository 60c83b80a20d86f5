internal import TidingsRPC

/// Whether callers call too fast, or on too many connections.
///
/// Looks at the caller of a call only if there is a bound on rates, or the connection was not seen
/// lately: a call on one that was costs nothing more.
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
  private var counter = PeerCounter<ConnectionNumber>()
  private var bounds: [CallerKey: CallerBounds] = [:]
  /// Connections that were admitted lately, each at the place of its number.
  private var recent = [ConnectionNumber?](repeating: nil, count: CallerAdmission.recentCount)

  private static let recentCount = 256
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
    _ peer: ConnectionNumber,
    now: ContinuousClock.Instant,
    caller: () -> CallerKey,
    lookUp: () -> CallerBounds
  ) -> Outcome {
    let location = Self.location(peer)
    let isRecent = recent[location] == peer
    guard !isRecent || boundsRates else { return .admitted }
    let key = caller()
    let bounds = bounds(of: key, lookUp)
    if !isRecent {
      guard counter.admits(peer, of: key, countMax: bounds.connectionsMax) else {
        return .tooManyConnections(bounds.connectionsMax)
      }
      recent[location] = peer
    }
    guard boundsRates, bounds.callsPerSecondMax > 0,
      let wait = rates.take(key, perSecond: bounds.callsPerSecondMax, now: now)
    else { return .admitted }
    return .tooEarly(perSecond: bounds.callsPerSecondMax, retryAfter: wait)
  }

  /// Who called first on a connection; `nil`: nobody was admitted.
  func caller(on connection: ConnectionNumber) -> CallerKey? { counter.caller(of: connection) }

  /// A connection has ended.
  mutating func ended(_ connection: ConnectionNumber) {
    counter.ended(connection)
    let location = Self.location(connection)
    if recent[location] == connection { recent[location] = nil }
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

  private static func location(_ connection: ConnectionNumber) -> Int {
    Int(truncatingIfNeeded: connection.value) & (recentCount - 1)
  }
}
