/// When and how often a safe call is sent again.
public struct RetryPolicy: Sendable {
  /// Most times that a call is sent, the first included; at least 1.
  public var attemptsMax: Int
  /// The longest pause before the second attempt; it doubles with each attempt.
  public var firstPauseMax: Duration
  /// The longest pause before any attempt.
  public var pauseMax: Duration

  /// A policy; by default five attempts within a few seconds.
  public init(
    attemptsMax: Int = 5,
    firstPauseMax: Duration = .milliseconds(100),
    pauseMax: Duration = .seconds(2)
  ) {
    self.attemptsMax = attemptsMax
    self.firstPauseMax = firstPauseMax
    self.pauseMax = pauseMax
  }

  /// Returns the pause after a failed attempt: anything between nothing and the bound ("full
  /// jitter"), so that clients that failed together do not come back together.
  ///
  /// - Parameters:
  ///   - attempts: How many times the call was sent, 1 or more.
  ///   - jitter: A random number in 0..<1.
  /// - Returns: How long to wait before the next attempt.
  func pause(afterAttempts attempts: Int, jitter: Double) -> Duration {
    let doublings = min(max(attempts - 1, 0), 20)
    return min(firstPauseMax * (1 << doublings), pauseMax) * jitter
  }
}

extension CallOptions {
  /// Whether a call may be sent a second time without knowing what became of the first.
  package func isSafe(_ method: MethodDescriptor) -> Bool {
    method.idempotency != .unknown || idempotencyKey != nil
  }

  /// The options with which a call is sent that may be sent again: with a key of its own, if it needs one and has none.
  ///
  /// An idempotent call that is repeated leaves what it left the first time, and undoes what others did in between:
  /// a zone that was deleted, and created again by someone else, would be deleted a second time.
  package func withRepetitionKey(for method: MethodDescriptor) -> CallOptions {
    guard method.idempotency == .idempotent, idempotencyKey == nil else { return self }
    var options = self
    options.idempotencyKey = Self.newIdempotencyKey()
    return options
  }

  /// A key that no other call has.
  package static func newIdempotencyKey() -> String {
    let numbers = (0..<2).map { _ in UInt64.random(in: .min ... .max) }
    return numbers.map { String($0, radix: 16) }.joined(separator: "-")
  }
}
