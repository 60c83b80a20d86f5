/// The calls of a client that wait for answers: what is sent, sent again, or given up, and when.
///
/// A value without clock, lock or socket: events go in, what is to be done comes out. Times are measured from
/// any moment: instants of a clock are opaque, and slow to keep in a table.
///
/// A call waits unsent while there is no connection. When a connection is lost, calls that were
/// sent on it will never be answered: safe ones wait to be sent again, the outcome of the others
/// is unknown.
public struct ClientCallTable {
  /// What is to be done after an event.
  public enum Action: Equatable, Sendable {
    /// Answer the caller, who waits no longer.
    case fail(UInt64, RPCError)
    /// Inform the server that the call is no longer waited for.
    case sendCancel(UInt64)
    /// The same, on the connection before.
    case sendCancelOnPrevious(UInt64)
  }

  /// What becomes of a response.
  public enum Reception: Equatable, Sendable {
    /// Give it to the caller.
    case deliver
    /// It is the last one: give it to the caller, who is forgotten.
    case deliverLast
    /// The same, but it says nothing of an earlier attempt, whose outcome is unknown: `RPCError.afterUnknownOutcome`.
    case deliverUnknown
    /// Keep it back; the call will be sent again.
    case retry
    /// Nobody waits for it.
    case ignore
  }

  private enum Phase {
    case waiting
    case sent
    /// On the connection before, which is used no more, and still brings answers.
    case sentOnPrevious
    case pausing(until: Duration)
  }

  private struct Call {
    let isSafe: Bool
    let deadline: Duration?
    /// How long it waits for a connection.
    let patience: Duration
    /// Until when it waits for one in any case.
    let pauseEnd: Duration
    var phase = Phase.waiting
    var attempts = 0
    var hasAnswers = false
    /// An attempt was sent, and its outcome is unknown.
    var isUncertain = false
    /// How many servers did not begin it because they drain.
    var refusals = 0

    /// When it fails, if there has been no connection since a moment.
    func patienceEnd(since disconnected: Duration) -> Duration {
      max(disconnected + patience, pauseEnd)
    }

    var isSent: Bool {
      switch phase {
      case .sent, .sentOnPrevious: true
      case .waiting, .pausing: false
      }
    }
  }

  private var endpoint: String
  /// Of the connection before.
  private var previousEndpoint = ""
  private let endpointsCount: Int
  /// How long a call waits at least while it is known that there is no connection: whoever repeats calls at once would
  /// keep a processor busy.
  private static let refusalPause = Duration.milliseconds(500)
  private let connectTimeout: Duration
  private let retry: RetryPolicy
  private let callsMax: Int
  private var calls: [UInt64: Call] = [:]
  private var unsent = FIFO<UInt64>()
  /// Since when there has been no connection; `nil`: there is one.
  private var disconnected: Duration?
  private var earliest: Duration?
  /// Why there is no connection, if it is known.
  private var failure: RPCError?
  /// Nothing more is sent on the connection, which still brings answers, until there is another.
  public private(set) var isLeaving = false

  /// A table of a connection that is being made.
  ///
  /// - Parameters:
  ///   - endpoint: Where to.
  ///   - endpointsCount: How many endpoints there are to try.
  ///   - connectTimeout: How long calls wait for a connection.
  ///   - retry: How safe calls are repeated.
  ///   - callsMax: Most calls that wait for an answer.
  ///   - now: The current time.
  public init(
    endpoint: String,
    endpointsCount: Int = 1,
    connectTimeout: Duration,
    retry: RetryPolicy,
    callsMax: Int,
    now: Duration
  ) {
    self.endpoint = endpoint
    self.endpointsCount = endpointsCount
    self.connectTimeout = connectTimeout
    self.retry = retry
    self.callsMax = callsMax
    disconnected = now
  }

  /// Whether there is a connection.
  public var isConnected: Bool { disconnected == nil }
  /// How many callers wait.
  public var count: Int { calls.count }
  /// Whether callers wait for answers on the connection before.
  public var awaitsPrevious: Bool {
    calls.values.contains { if case .sentOnPrevious = $0.phase { true } else { false } }
  }
  /// When `expire` is to be called next.
  public var nextTimer: Duration? { earliest }

  /// Admits a call.
  ///
  /// - Parameters:
  ///   - id: Never used before.
  ///   - isSafe: It may be sent again without knowing what became of the first time.
  ///   - deadline: When the caller waits no longer.
  ///   - patience: How long it waits for a connection; `nil`: as long as others.
  ///   - now: The current time.
  /// - Returns: Why it is refused, if it is.
  public mutating func start(
    _ id: UInt64,
    isSafe: Bool,
    deadline: Duration?,
    patience: Duration? = nil,
    now: Duration
  ) -> RPCError? {
    if let deadline, deadline <= now { return .deadlinePassed }
    if calls.count >= callsMax {
      return RPCError(.resourceExhausted, "\(callsMax) calls are waiting, which is the limit")
    }
    let patience = patience ?? connectTimeout
    calls[id] = Call(
      isSafe: isSafe,
      deadline: deadline,
      patience: patience,
      pauseEnd: now + min(patience, Self.refusalPause)
    )
    unsent.append(id)
    wake(at: deadline)
    wakeImpatient(id)
    return nil
  }

  /// Returns the call to be sent next, if there is one and a connection.
  ///
  /// It stays the next one until `sent` is called.
  public mutating func nextUnsent() -> (id: UInt64, deadline: Duration?)? {
    guard isConnected else { return nil }
    while let id = unsent.first {
      if let call = calls[id], case .waiting = call.phase { return (id, call.deadline) }
      unsent.removeFirst()
    }
    return nil
  }

  /// The call was handed to the socket.
  public mutating func sent(_ id: UInt64) {
    unsent.removeFirst()
    calls[id]?.phase = .sent
    calls[id]?.attempts += 1
  }

  /// A response came.
  ///
  /// - Parameters:
  ///   - id: The call that it answers.
  ///   - isUnavailable: Its status is UNAVAILABLE.
  ///   - isUnbegun: The server refused the call before it began, because it takes none for now: the call may be repeated
  ///     whatever it does.
  ///   - isUncertain: The server does not know whether the call took effect.
  ///   - asksNext: Then another server is asked at once, if there is one.
  ///   - retryAfter: How long its server wants to be left alone with the call, if it says so.
  ///   - isLast: None follows.
  ///   - jitter: A random number in 0..<1.
  ///   - now: The current time.
  /// - Returns: What to do with it.
  public mutating func received(
    _ id: UInt64,
    isUnavailable: Bool,
    isUnbegun: Bool = false,
    isUncertain: Bool = false,
    asksNext: Bool = false,
    retryAfter: Duration? = nil,
    isLast: Bool,
    jitter: @autoclosure () -> Double,
    now: Duration
  ) -> Reception {
    guard var call = calls[id], call.isSent else { return .ignore }
    if isUncertain { call.isUncertain = true }
    // Each server is asked once; then it is like any other call of a server that is unavailable.
    if isUnbegun, asksNext, !call.hasAnswers, call.refusals + 1 < endpointsCount {
      call.refusals += 1
      call.attempts -= 1
      call.phase = .waiting
      calls[id] = call
      waitAgain(id)
      return .retry
    }
    // A caller that must wait may do so as long as there is time: the next attempt may be too early again
    // because of others.
    let isEarly = retryAfter != nil && !isUnavailable && call.deadline != nil
    let mayTryAgain = isEarly || call.attempts < retry.attemptsMax
    let mayRepeat = (call.isSafe || isUnbegun) && !call.hasAnswers && mayTryAgain
    if isUnavailable || retryAfter != nil, mayRepeat {
      let pause = retry.pause(afterAttempts: call.attempts, jitter: jitter())
      let resumption = now + pause + (retryAfter ?? .zero)
      if call.deadline.map({ resumption < $0 }) ?? true {
        call.phase = .pausing(until: resumption)
        calls[id] = call
        wake(at: resumption)
        return .retry
      }
    }
    if isLast {
      calls[id] = nil
      return isUnavailable && call.isUncertain ? .deliverUnknown : .deliverLast
    }
    call.hasAnswers = true
    calls[id] = call
    return .deliver
  }

  /// Whether a caller waits.
  public func isWaiting(_ id: UInt64) -> Bool { calls[id] != nil }

  /// Whether a call was sent and waits for answers, so that credit for it makes sense.
  public func isRunning(_ id: UInt64) -> Bool {
    calls[id]?.isSent ?? false
  }

  /// Whether a call was sent on the connection before.
  public func isOnPrevious(_ id: UInt64) -> Bool {
    if case .sentOnPrevious = calls[id]?.phase { true } else { false }
  }

  /// There is a connection; unsent calls can go.
  public mutating func connected() {
    disconnected = nil
    failure = nil
    isLeaving = false
  }

  /// Another attempt to connect begins, perhaps to another endpoint.
  ///
  /// Calls that were sent on a connection that is being left are answered on it, as the one before.
  public mutating func connecting(to endpoint: String) {
    if isLeaving {
      previousEndpoint = self.endpoint
      for (id, call) in calls where call.isSent { calls[id]?.phase = .sentOnPrevious }
    }
    isLeaving = false
    self.endpoint = endpoint
  }

  /// The server drains: nothing more is sent on the connection, and answers are still waited for.
  public mutating func leave(_ now: Duration) {
    guard isConnected else { return }
    isLeaving = true
    disconnected = now
    wakeImpatient()
  }

  /// An attempt to connect failed; others follow.
  ///
  /// - Parameters:
  ///   - error: The error of calls that wait too long for a connection.
  ///   - failsCalls: They fail immediately.
  /// - Returns: The calls that end with it.
  public mutating func connectionFailed(_ error: RPCError, failsCalls: Bool) -> [Action] {
    guard !isConnected else { return [] }
    failure = error
    guard failsCalls else { return [] }
    unsent = FIFO<UInt64>()
    // Those that were sent to a server that drains are still answered.
    let waiting = calls.filter { !$0.value.isSent }.keys.sorted()
    return waiting.map { id in
      let isUncertain = calls.removeValue(forKey: id)?.isUncertain ?? false
      return .fail(id, isUncertain ? error.afterUnknownOutcome : error)
    }
  }

  /// The connection is gone, and with it every answer that was to come on it.
  public mutating func connectionLost(_ now: Duration) -> [Action] {
    guard isConnected || isLeaving else { return [] }
    if isConnected {
      disconnected = now
      wakeImpatient()
    }
    isLeaving = false
    return endAnswers(of: endpoint) { if case .sent = $0 { true } else { false } }
  }

  /// The connection before is gone, and with it every answer that was to come on it.
  public mutating func previousConnectionLost() -> [Action] {
    endAnswers(of: previousEndpoint) { if case .sentOnPrevious = $0 { true } else { false } }
  }

  private mutating func endAnswers(
    of endpoint: String,
    where isAffected: (Phase) -> Bool
  ) -> [Action] {
    var actions: [Action] = []
    for id in calls.keys.sorted() {
      guard var call = calls[id], isAffected(call.phase) else { continue }
      if call.isSafe, !call.hasAnswers, call.attempts < retry.attemptsMax {
        call.phase = .waiting
        call.isUncertain = true
        calls[id] = call
        waitAgain(id)
      } else {
        calls[id] = nil
        actions.append(
          .fail(id, call.hasAnswers ? Self.interrupted(endpoint) : Self.unknownOutcome(endpoint))
        )
      }
    }
    return actions
  }

  /// The caller gave up, and knows it.
  public mutating func cancel(_ id: UInt64) -> [Action] {
    guard let call = calls.removeValue(forKey: id) else { return [] }
    switch call.phase {
    case .sent: return isConnected || isLeaving ? [.sendCancel(id)] : []
    case .sentOnPrevious: return [.sendCancelOnPrevious(id)]
    case .waiting, .pausing: return []
    }
  }

  /// Gives up what takes too long, and ends pauses that are over.
  public mutating func expire(_ now: Duration) -> [Action] {
    guard let earliest, earliest <= now else { return [] }
    self.earliest = nil
    var actions: [Action] = []
    for id in calls.keys.sorted() {
      guard var call = calls[id] else { continue }
      if let deadline = call.deadline, deadline <= now {
        actions.append(.fail(id, deadlinePassed(call)))
        actions += cancel(id)
        continue
      }
      if let disconnected, !call.isSent {
        let due = call.patienceEnd(since: disconnected)
        if due <= now {
          calls[id] = nil
          actions.append(
            .fail(id, call.isUncertain ? unreachable.afterUnknownOutcome : unreachable)
          )
          continue
        }
        wake(at: due)
      }
      wake(at: call.deadline)
      guard case .pausing(let end) = call.phase else { continue }
      if end <= now {
        call.phase = .waiting
        calls[id] = call
        unsent.append(id)
      } else {
        wake(at: end)
      }
    }
    return actions
  }

  /// Ends all calls with an error.
  public mutating func endAll(_ error: RPCError) -> [Action] {
    defer { calls = [:] }
    return calls.keys.sorted().map { .fail($0, error) }
  }

  private var unreachable: RPCError {
    failure ?? RPCError(.unavailable, "cannot reach \(endpoint)")
  }

  /// A call that was never sent failed for want of a connection, which explains more than the deadline.
  private func deadlinePassed(_ call: Call) -> RPCError {
    guard disconnected != nil, !call.isSent, let failure else { return .deadlinePassed }
    return RPCError(.deadlineExceeded, "\(RPCError.deadlinePassed.message): \(failure.message)")
  }
  private static func unknownOutcome(_ endpoint: String) -> RPCError {
    RPCError(
      .unavailable,
      "the connection to \(endpoint) was lost; whether the call took effect is unknown",
      details: [.errorInfo(reason: RPCError.unknownOutcomeReason)]
    )
  }
  private static func interrupted(_ endpoint: String) -> RPCError {
    RPCError(.unavailable, "the connection to \(endpoint) was lost amid the stream")
  }

  /// A call that was sent is to be sent again, or fails when there has been no connection for too long.
  private mutating func waitAgain(_ id: UInt64) {
    unsent.append(id)
    wakeImpatient(id)
  }

  /// The calls that wait for a connection, or one of them, may wait too long.
  private mutating func wakeImpatient(_ id: UInt64? = nil) {
    guard let disconnected else { return }
    if let id {
      wake(at: calls[id]?.patienceEnd(since: disconnected))
    } else {
      for call in calls.values where !call.isSent {
        wake(at: call.patienceEnd(since: disconnected))
      }
    }
  }

  private mutating func wake(at timer: Duration?) {
    guard let timer else { return }
    earliest = earliest.map { min($0, timer) } ?? timer
  }
}
