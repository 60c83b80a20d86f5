internal import TidingsMemory
internal import TidingsRPC

/// Whether callers call too fast, or on too many connections.
///
/// Asked only if there is a bound on rates, or a call is its connection's first.
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

  private var rates: CallRates
  private var counter = PeerCounter<ConnectionNumber>()
  private var bounds: [CallerKey: CallerBounds] = [:]

  private let boundsKeptMax: Int
  /// Most connections of one caller, whatever its own bound says.
  private let connectionsMax: Int

  init(_ memory: MemoryShares, connectionsMax: Int) {
    self.connectionsMax = connectionsMax
    rates = CallRates(callersMax: memory.count(of: .callRates))
    boundsKeptMax = memory.count(of: .callerBounds)
  }

  /// Judges a call.
  ///
  /// - Parameters:
  ///   - connection: Where it came.
  ///   - now: The current time.
  ///   - caller: Who calls.
  ///   - bounds: What the caller may do.
  /// - Returns: Whether the call may be begun.
  mutating func judge(
    on connection: Connection,
    now: ContinuousClock.Instant,
    _ caller: CallerKey,
    _ bounds: CallerBounds
  ) -> Outcome {
    guard counts(connection, caller, bounds) else {
      return .tooManyConnections(bounds.connectionsMax)
    }
    guard boundsRates, bounds.callsPerSecondMax > 0,
      let wait = rates.take(caller, perSecond: bounds.callsPerSecondMax, now: now)
    else { return .admitted }
    return .tooEarly(perSecond: bounds.callsPerSecondMax, retryAfter: wait)
  }

  /// Counts a connection among those of a caller, unless it is counted already.
  ///
  /// - Returns: Whether the caller may have it.
  mutating func counts(
    _ connection: Connection,
    _ caller: CallerKey,
    _ bounds: CallerBounds
  ) -> Bool {
    guard !connection.isCounted, let number = connection.number else { return true }
    connection.isCounted = counter.admits(number, of: caller, countMax: bounds.connectionsMax)
    return connection.isCounted
  }

  /// What a caller may do; `nil`: it has to be asked.
  func bounds(of caller: CallerKey) -> CallerBounds? { bounds[caller] }

  /// Remembers what a caller may do.
  ///
  /// - Returns: The same, with no more connections than leave others room.
  mutating func remember(_ found: CallerBounds, of caller: CallerKey) -> CallerBounds {
    if bounds.count >= boundsKeptMax { forgetBounds() }
    var found = found
    let isBounded = 1...connectionsMax ~= found.connectionsMax
    if !isBounded { found.connectionsMax = connectionsMax }
    bounds[caller] = found
    return found
  }

  /// Who called first on a connection; `nil`: nobody was admitted.
  func caller(on connection: ConnectionNumber) -> CallerKey? { counter.caller(of: connection) }

  /// A connection has ended.
  mutating func ended(_ connection: ConnectionNumber) { counter.ended(connection) }

  /// The bounds of callers have changed.
  mutating func forgetBounds() { bounds.removeAll(keepingCapacity: true) }
}
