internal import TidingsRPC

/// Which endpoint a client connects to, and when: events go in, the route and the moment come out.
///
/// The first endpoint of the list that connects is kept until it is lost. Then the next one is tried at once, as
/// long as there is one that was not tried since the last good connection; after that pauses grow. An endpoint with
/// a name may have several routes, which are tried one after the other.
///
/// Each attempt is one socket. One that takes too long is given up: callers learn why.
struct EndpointRing {
  private let endpoints: [String]
  private let routes: [Route]
  private let hasKeys: Bool
  private var index = 0
  /// The route that is tried after this one.
  private var next: Int
  /// By route, of those that were tried since the last good connection.
  private var failures: [ConnectionFailure?]
  /// What is wrong with the attempt under way, if nothing more comes of it.
  private var awaited = ConnectionFailure.silent
  private var attemptHasFailed = false
  private var renewal = Renewal()
  private let attemptTime: Duration
  private var attemptBegin: ContinuousClock.Instant
  /// When the attempt to connect is given up; `nil`: there is a connection, or the next attempt is due.
  private var attemptEnd: ContinuousClock.Instant?
  /// The connection answered a call, and not only to refuse it.
  private(set) var isProven = false
  private var isConnected = false

  private static let attemptTimeMax =
    Duration.milliseconds(Int64(SocketLimits.handshakeMilliseconds))

  /// A ring that connects to its first endpoint.
  ///
  /// - Parameters:
  ///   - endpoints: At least one.
  ///   - security: Whether there are keys, for the reasons.
  ///   - connectTimeout: How long calls wait for a connection: enough to try each route once.
  ///   - now: The current time.
  init(
    _ endpoints: [String],
    _ security: Security = .development,
    connectTimeout: Duration,
    now: ContinuousClock.Instant
  ) {
    precondition(!endpoints.isEmpty, "a client needs an endpoint")
    self.endpoints = endpoints
    if case .development = security { hasKeys = false } else { hasKeys = true }
    routes = endpoints.flatMap(Route.all(to:))
    failures = Array(repeating: nil, count: routes.count)
    attemptTime = max(
      .milliseconds(Int64(SocketLimits.attemptMillisecondsMin)),
      min(.milliseconds(Int64(SocketLimits.attemptMilliseconds)), connectTimeout / routes.count)
    )
    attemptBegin = now
    next = 1 % routes.count
    beginAttempt(now)
  }

  /// How to connect.
  var route: Route { routes[index] }
  /// The endpoint to connect to.
  var current: String { route.endpoint }
  /// Whether there is another endpoint.
  var hasSeveral: Bool { endpoints.count > 1 }
  /// When `isDue` is to be called next; `nil`: after the next event.
  var due: ContinuousClock.Instant? { earlier(renewal.due, attemptEnd) }

  /// The handshake succeeded.
  mutating func connected() {
    isConnected = true
    attemptEnd = nil
    if hasSeveral { renewal.cancel() } else { renewal.stop() }
  }

  /// A call was answered, and not refused because the server drains: the connection is a good one.
  mutating func answered() {
    isProven = true
    forget()
  }

  /// The address is known, and is asked for a connection.
  mutating func connecting() { awaited = .silent }

  /// The address accepted the connection; the handshake begins.
  mutating func accepted() {
    awaited = .handshakeSilent
    // A list is gone through quickly; where there is nothing but this, a slow network gets its time.
    guard attemptEnd != nil, !hasSeveral else { return }
    attemptEnd = attemptBegin.advanced(by: Self.attemptTimeMax)
  }

  /// The attempt to connect failed, for a reason.
  mutating func failed(_ failure: ConnectionFailure, _ now: ContinuousClock.Instant) {
    guard !isConnected else { return }
    note(failure)
    if failure.endsAttempt { scheduleNext(now) }
  }

  /// The connection is gone, or the handshake failed.
  mutating func disconnected(_ now: ContinuousClock.Instant) {
    guard isConnected else {
      if !attemptHasFailed { note(.handshakeClosed) }
      return scheduleNext(now)
    }
    isConnected = false
    forget()
    note(.lost)
    leaveEndpoint()
    renewal.scheduleAtOnce(now)
  }

  /// The server refuses calls because it drains: others are to get them.
  mutating func drained(_ now: ContinuousClock.Instant) {
    // Where all drain, each is a bad connection, and the pauses grow.
    if isProven { forget() }
    isConnected = false
    note(.draining)
    leaveEndpoint()
    scheduleNext(now)
  }

  /// Whether to connect by `route`, with a new socket; once, and then the attempt has begun.
  mutating func isDue(_ now: ContinuousClock.Instant) -> Bool {
    if let end = attemptEnd, end <= now {
      if !attemptHasFailed { note(awaited) }
      scheduleNext(now)
    }
    guard renewal.isDue(now) else { return false }
    index = next
    next = (index + 1) % routes.count
    isConnected = false
    isProven = false
    beginAttempt(now)
    return true
  }

  /// The error of calls that wait too long for a connection, with what is wrong with each endpoint that was tried.
  var error: RPCError {
    guard hasSeveral else {
      return (failure(of: endpoints[0]) ?? awaited).error(at: endpoints[0], hasKeys: hasKeys)
    }
    let tried = endpoints.compactMap { endpoint -> String? in
      if let failure = failure(of: endpoint) {
        return "\(endpoint): \(failure.reason(hasKeys: hasKeys))"
      }
      return endpoint == current ? "\(endpoint): \(awaited.reason(hasKeys: hasKeys)) yet" : nil
    }
    return RPCError(
      isRefusedEverywhere ? .unauthenticated : .unavailable,
      "cannot reach any of the endpoints: \(tried.joined(separator: "; "))"
    )
  }

  /// No endpoint admits the key: to wait does not help.
  var isRefusedEverywhere: Bool { endpoints.allSatisfy { failure(of: $0)?.isRefusal ?? false } }

  /// What is wrong with an endpoint: the failure of the route that came furthest.
  private func failure(of endpoint: String) -> ConnectionFailure? {
    routes.indices.lazy.filter { routes[$0].endpoint == endpoint }.compactMap { failures[$0] }.max()
  }

  private var hasTriedAll: Bool { !failures.contains(nil) }

  private mutating func note(_ failure: ConnectionFailure) {
    attemptHasFailed = true
    // The other side may end the connection before it is understood why: the better reason stays.
    if failure == .handshakeClosed, failures[index] == .protocolMismatch { return }
    failures[index] = failure
  }

  private mutating func forget() {
    for index in failures.indices { failures[index] = nil }
    renewal.stop()
  }

  /// Another endpoint follows, if there is one; else the route that was good is tried again first.
  private mutating func leaveEndpoint() {
    let others = Array(routes.indices[(index + 1)...]) + Array(routes.indices[..<index])
    next = others.first { routes[$0].endpoint != current } ?? index
  }

  private mutating func beginAttempt(_ now: ContinuousClock.Instant) {
    attemptHasFailed = false
    awaited = route.hasName ? .nameSilent : .silent
    attemptBegin = now
    // Servers that did not answer in time may only be slow: they get as much as the only one of a list does.
    let isLong = routes.count == 1 || hasTriedAll
    attemptEnd = now.advanced(by: isLong ? Self.attemptTimeMax : attemptTime)
  }

  private mutating func scheduleNext(_ now: ContinuousClock.Instant) {
    attemptEnd = nil
    if failures[next] == nil { renewal.scheduleAtOnce(now) } else { renewal.schedule(now) }
  }
}
