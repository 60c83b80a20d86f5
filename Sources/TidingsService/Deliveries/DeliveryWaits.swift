internal import TidingsRPC
internal import TidingsZeroMQ

/// Senders that wait for something to send.
///
/// While none waits, a commit with notifications costs an addition.
struct DeliveryWaits {
  private struct Waiter {
    let token: ReplyToken
    let end: ContinuousClock.Instant
  }

  /// Most senders that wait.
  private static let countMax = 1_000
  /// They are woken at most this often.
  private static let pause = Duration.milliseconds(5)

  private var waiters: [Waiter] = []
  private var lastWake = ContinuousClock.now
  private var isWakePending = false
  /// Changes with whatever may be sent; a number of an earlier run is none of this one.
  private(set) var generation = UInt64.random(in: 0...(1 << 60))

  /// When `timerFired` is due; `nil`: never.
  var nextTimer: ContinuousClock.Instant? {
    guard let first = waiters.lazy.map(\.end).min() else { return nil }
    return isWakePending ? min(first, lastWake + Self.pause) : first
  }

  /// A group was committed that lets something wait.
  ///
  /// - Returns: Who is to be answered.
  mutating func committed(_ now: ContinuousClock.Instant) -> [ReplyToken] {
    generation &+= 1
    guard !waiters.isEmpty else { return [] }
    guard now >= lastWake + Self.pause else {
      isWakePending = true
      return []
    }
    return wake(now)
  }

  /// What becomes of a sender.
  enum Parking {
    case waits
    /// There may be something to send already.
    case isDue
    /// Too many wait.
    case isFull
  }

  /// Lets a sender wait.
  mutating func park(
    _ token: ReplyToken,
    after seen: UInt64,
    until end: ContinuousClock.Instant
  ) -> Parking {
    guard seen == generation else { return .isDue }
    guard waiters.count < Self.countMax else { return .isFull }
    waiters.append(Waiter(token: token, end: end))
    return .waits
  }

  /// Ends one wait.
  ///
  /// - Returns: The token of the call that waited; `nil`: it does not wait.
  mutating func take(_ token: ReplyToken) -> ReplyToken? {
    waiters.firstIndex { $0.token == token }.map { waiters.remove(at: $0).token }
  }

  /// Those whose wait is over.
  mutating func timerFired(_ now: ContinuousClock.Instant) -> [ReplyToken] {
    if isWakePending, now >= lastWake + Self.pause { return wake(now) }
    let over = waiters.filter { $0.end <= now }.map(\.token)
    if !over.isEmpty { waiters.removeAll { $0.end <= now } }
    return over
  }

  /// Ends the waits on some connections.
  mutating func take(on connections: [UInt64]) -> [ReplyToken] {
    guard !waiters.isEmpty else { return [] }
    let gone = waiters.filter { connections.contains($0.token.connection) }.map(\.token)
    waiters.removeAll { connections.contains($0.token.connection) }
    return gone
  }

  /// Ends all waits.
  mutating func takeAll() -> [ReplyToken] {
    defer { waiters = [] }
    return waiters.map(\.token)
  }

  private mutating func wake(_ now: ContinuousClock.Instant) -> [ReplyToken] {
    (lastWake, isWakePending) = (now, false)
    return takeAll()
  }
}
