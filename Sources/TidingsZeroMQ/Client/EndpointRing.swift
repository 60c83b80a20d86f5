internal import TidingsRPC

/// Which endpoint a client connects to, and when: events go in, the endpoint and the moment come out.
///
/// The first endpoint of the list that connects is kept until it is lost. Then the next one is tried at once, as
/// long as there is one that was not tried since the last good connection; after that pauses grow.
///
/// With one endpoint only lost connections and failed handshakes lead to a new socket: libzmq itself tries
/// again where nobody listens.
struct EndpointRing {
  /// What was wrong with an endpoint.
  struct Failure: Equatable {
    let reason: String
    /// The server does not admit the key.
    var isRefusal = false

    static let lost = Self(reason: "the connection was lost")
    static let silent = Self(reason: "no answer")
    static let draining = Self(reason: "takes no calls for now (it is draining)")
  }

  private let endpoints: [String]
  private var index = 0
  /// By endpoint, of those that were tried since the last good connection.
  private var failures: [Failure?]
  /// What is wrong with the attempt under way.
  private var attemptFailure: Failure?
  private var renewal = Renewal()
  private let attemptTime: Duration
  /// When the attempt to connect is given up; `nil`: libzmq decides, or there is a connection.
  private var attemptEnd: ContinuousClock.Instant?
  /// The connection answered a call, and not only to refuse it.
  private(set) var isProven = false
  private var isConnected = false

  /// A ring that connects to its first endpoint.
  ///
  /// - Parameters:
  ///   - endpoints: At least one.
  ///   - connectTimeout: How long calls wait for a connection: enough to try each endpoint once.
  ///   - now: The current time.
  init(_ endpoints: [String], connectTimeout: Duration, now: ContinuousClock.Instant) {
    precondition(!endpoints.isEmpty, "a client needs an endpoint")
    self.endpoints = endpoints
    failures = Array(repeating: nil, count: endpoints.count)
    attemptTime = max(
      .milliseconds(Int64(SocketLimits.attemptMillisecondsMin)),
      min(.milliseconds(Int64(SocketLimits.attemptMilliseconds)), connectTimeout / endpoints.count)
    )
    beginAttempt(now)
  }

  /// The endpoint to connect to.
  var current: String { endpoints[index] }
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

  /// The attempt to connect failed, for a reason.
  ///
  /// - Parameters:
  ///   - failure: What is wrong.
  ///   - isOver: libzmq would only try the same again: nothing else is going to be reported.
  ///   - now: The current time.
  mutating func failed(_ failure: Failure, isOver: Bool, _ now: ContinuousClock.Instant) {
    guard !isConnected else { return }
    note(failure)
    if isOver, hasSeveral { scheduleNext(now) }
  }

  /// The connection is gone, or the handshake failed.
  mutating func disconnected(_ now: ContinuousClock.Instant) {
    guard isConnected else {
      note(attemptFailure ?? .lost)
      return scheduleNext(now)
    }
    isConnected = false
    forget()
    note(.lost)
    renewal.scheduleAtOnce(now)
  }

  /// The server refuses calls because it drains: others are to get them.
  mutating func drained(_ now: ContinuousClock.Instant) {
    // Where all drain, each is a bad connection, and the pauses grow.
    if isProven { forget() }
    isConnected = false
    note(.draining)
    scheduleNext(now)
  }

  /// Whether to connect to `current`, with a new socket; once, and then the attempt has begun.
  mutating func isDue(_ now: ContinuousClock.Instant) -> Bool {
    if let end = attemptEnd, end <= now {
      note(attemptFailure ?? .silent)
      scheduleNext(now)
    }
    guard renewal.isDue(now) else { return false }
    index = next
    isConnected = false
    isProven = false
    beginAttempt(now)
    return true
  }

  /// The error of calls that wait too long for a connection, with what is wrong with each endpoint that was tried.
  var error: RPCError {
    let tried = endpoints.indices.compactMap { index -> String? in
      let isUnderWay = index == self.index && attemptFailure == nil
      let reason = failures[index]?.reason ?? (isUnderWay ? "no answer yet" : nil)
      return reason.map { "\(endpoints[index]): \($0)" }
    }
    return RPCError(
      isRefusedEverywhere ? .unauthenticated : .unavailable,
      "cannot reach any of the endpoints: \(tried.joined(separator: "; "))"
    )
  }

  /// No endpoint admits the key: to wait does not help.
  var isRefusedEverywhere: Bool { failures.allSatisfy { $0?.isRefusal ?? false } }

  private var next: Int { (index + 1) % endpoints.count }
  private var hasTriedAll: Bool { !failures.contains(nil) }

  private mutating func note(_ failure: Failure) {
    attemptFailure = failure
    failures[index] = failure
  }

  private mutating func forget() {
    for index in failures.indices { failures[index] = nil }
    renewal.stop()
  }

  private mutating func beginAttempt(_ now: ContinuousClock.Instant) {
    attemptFailure = nil
    guard hasSeveral else { return }
    // Servers that did not answer in time may only be slow: they get as much as the only one of a list would.
    let longTime = Duration.milliseconds(Int64(SocketLimits.handshakeMilliseconds))
    attemptEnd = now.advanced(by: hasTriedAll ? longTime : attemptTime)
  }

  private mutating func scheduleNext(_ now: ContinuousClock.Instant) {
    attemptEnd = nil
    if failures[next] == nil { renewal.scheduleAtOnce(now) } else { renewal.schedule(now) }
  }
}
