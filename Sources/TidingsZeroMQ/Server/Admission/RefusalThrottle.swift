internal import Glibc

/// How soon a rejected handshake is answered.
///
/// A client with a refused key tries again at once, and each handshake costs the server some crypto.
/// So an address that is refused often waits for its answer. Keys that are admitted never come here.
package struct RefusalThrottle {
  /// What becomes of a refusal.
  enum Answer: Equatable {
    /// It is answered now.
    case now
    /// It is answered at this moment.
    case later(ContinuousClock.Instant)
    /// The connection is closed without a word.
    case silence
  }

  /// Rejections of an address that are answered immediately after a time without any.
  static let burst = 10
  /// How long it takes until one more is answered immediately.
  static let interval = Duration.seconds(1)
  /// How long the others wait: less than any client's handshake may take.
  static let delay = Duration.seconds(1)
  /// Most refusals that wait.
  static let waitingMax = 1024
  /// Most addresses that are distinguished.
  static let addressesMax = 4096

  /// When each address has used nothing of its burst any more.
  private var recoveries: [[UInt8]: ContinuousClock.Instant] = [:]
  private var nextSweep: ContinuousClock.Instant?

  /// Decides on a refusal.
  ///
  /// - Parameters:
  ///   - address: Where from.
  ///   - waiting: How many refusals wait already.
  ///   - now: The current time.
  /// - Returns: When it is answered, if at all.
  mutating func refuse(
    _ address: String,
    waiting: Int,
    now: ContinuousClock.Instant
  ) -> Answer {
    var network = Self.network(of: address)
    if recoveries[network] == nil, recoveries.count >= Self.addressesMax {
      sweep(now)
      // Many addresses at once: those that are new share one account.
      if recoveries.count >= Self.addressesMax { network = [] }
    }
    let recovery = max(recoveries[network] ?? now, now)
    if now.duration(to: recovery) <= Self.interval * (Self.burst - 1) {
      recoveries[network] = recovery.advanced(by: Self.interval)
      return .now
    }
    return waiting < Self.waitingMax ? .later(now.advanced(by: Self.delay)) : .silence
  }

  /// How many addresses are remembered.
  var addressCount: Int { recoveries.count }

  private mutating func sweep(_ now: ContinuousClock.Instant) {
    guard nextSweep.map({ $0 <= now }) ?? true else { return }
    recoveries = recoveries.filter { $0.value > now }
    nextSweep = now.advanced(by: Self.interval)
  }

  /// What one owner has: an IPv4 address, the first half of an IPv6 address.
  package static func network(of address: String) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, address, &bytes) == 1 else { return Array(address.utf8.prefix(64)) }
    let isIPv4 = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
    if isIPv4 { return Array(bytes[12...].map(String.init).joined(separator: ".").utf8) }
    return Array(bytes[..<8])
  }
}
