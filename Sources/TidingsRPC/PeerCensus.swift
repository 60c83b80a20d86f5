/// Which connections a caller calls on: bounds how many there are at a time.
///
/// A value without clock or socket. Nobody says when a connection ends, so one counts until nothing was
/// heard on it for a while; and it counts for whoever called on it first.
public struct PeerCensus<Peer: Hashable> {
  private struct Entry {
    let caller: CallerKey
    var heard: ContinuousClock.Instant
  }

  private let idleMax: Duration
  private let peersMax: Int
  private var peers: [Peer: Entry] = [:]
  private var counts: [CallerKey: Int] = [:]
  private var nextSweep: ContinuousClock.Instant?

  /// How often idle connections are looked for at most: that takes time.
  private static var sweepPause: Duration { .seconds(1) }

  /// A census that counts so many connections at most; further ones are admitted without being counted.
  public init(idleMax: Duration = .seconds(60), peersMax: Int = 100_000) {
    self.idleMax = idleMax
    self.peersMax = peersMax
  }

  /// How many connections are counted.
  public var count: Int { peers.count }

  /// Notes a call.
  ///
  /// - Parameters:
  ///   - peer: The connection.
  ///   - caller: Who calls.
  ///   - countMax: How many connections the caller may have; 0: any number.
  ///   - now: The current time.
  /// - Returns: Whether the caller may call on this connection.
  public mutating func admits(
    _ peer: Peer,
    of caller: CallerKey,
    countMax: Int,
    now: ContinuousClock.Instant
  ) -> Bool {
    if let index = peers.index(forKey: peer) {
      peers.values[index].heard = now
      return true
    }
    if countMax > 0, counts[caller, default: 0] >= countMax { sweep(now) }
    guard countMax == 0 || counts[caller, default: 0] < countMax else { return false }
    if peers.count >= peersMax { sweep(now) }
    guard peers.count < peersMax else { return true }
    peers[peer] = Entry(caller: caller, heard: now)
    counts[caller, default: 0] += 1
    return true
  }

  private mutating func sweep(_ now: ContinuousClock.Instant) {
    if let nextSweep, now < nextSweep { return }
    nextSweep = now.advanced(by: Self.sweepPause)
    let oldest = now.advanced(by: .zero - idleMax)
    peers = peers.filter { $0.value.heard > oldest }
    counts = peers.values.reduce(into: [:]) { $0[$1.caller, default: 0] += 1 }
  }
}
