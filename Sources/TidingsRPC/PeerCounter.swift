/// Which connections a caller calls on: bounds how many there are at a time.
///
/// A value without clock or socket. A connection counts from its first call until it ends, for whoever
/// called on it first.
public struct PeerCounter<Peer: Hashable> {
  private var callers: [Peer: CallerKey] = [:]
  private var counts: [CallerKey: Int] = [:]

  /// A counter without connections.
  public init() {}

  /// How many connections are counted.
  public var count: Int { callers.count }

  /// Notes a call.
  ///
  /// - Parameters:
  ///   - peer: The connection.
  ///   - caller: Who calls.
  ///   - countMax: How many connections the caller may have; 0: any number.
  /// - Returns: Whether the caller may call on this connection.
  public mutating func admits(_ peer: Peer, of caller: CallerKey, countMax: Int) -> Bool {
    if callers[peer] != nil { return true }
    guard countMax == 0 || counts[caller, default: 0] < countMax else { return false }
    callers[peer] = caller
    counts[caller, default: 0] += 1
    return true
  }

  /// For whom a connection counts; `nil`: nobody was admitted on it.
  public func caller(of peer: Peer) -> CallerKey? { callers[peer] }

  /// A connection has ended.
  public mutating func ended(_ peer: Peer) {
    guard let caller = callers.removeValue(forKey: peer) else { return }
    let count = counts[caller, default: 1] - 1
    counts[caller] = count == 0 ? nil : count
  }
}
