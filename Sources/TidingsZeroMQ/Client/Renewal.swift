/// When a client makes its next socket: after a failed attempt, or for another endpoint.
///
/// Whatever failed may change, so the pauses only grow up to a maximum.
struct Renewal {
  /// When; `nil`: not needed.
  private(set) var due: ContinuousClock.Instant?
  private var pause = pauseMin

  private static let pauseMin = Duration.milliseconds(Int64(SocketLimits.reconnectMilliseconds))
  private static let pauseMax = Duration.milliseconds(Int64(SocketLimits.reconnectMillisecondsMax))

  /// An attempt failed.
  mutating func schedule(_ now: ContinuousClock.Instant) {
    guard due == nil else { return }
    due = now.advanced(by: pause)
    pause = min(pause * 2, Self.pauseMax)
  }

  /// A connection was lost, or there is another endpoint to try.
  mutating func scheduleAtOnce(_ now: ContinuousClock.Instant) {
    if due == nil { due = now }
  }

  /// There is a connection, of which it is not known whether it is a good one: pauses stay as long as they are.
  mutating func cancel() { due = nil }

  /// There is a connection.
  mutating func stop() {
    due = nil
    pause = Self.pauseMin
  }

  /// Whether to renew now; once.
  mutating func isDue(_ now: ContinuousClock.Instant) -> Bool {
    guard let moment = due, moment <= now else { return false }
    due = nil
    return true
  }
}
