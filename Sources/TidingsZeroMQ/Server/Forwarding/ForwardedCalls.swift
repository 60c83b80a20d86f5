internal import TidingsRPC

/// The calls that were handed to another server and are not answered yet: whose each answer is.
///
/// A value: calls go in, and come out with their answers, or with the end of a connection.
struct ForwardedCalls {
  typealias Key = ServerCallTable<ReplyToken.Peer>.Key

  private struct Call {
    let token: ReplyToken
    let bytes: Int
    let mayWait: Bool
  }

  private struct Share {
    var count = 0
    var bytes = 0
  }

  /// Most calls; of one connection a quarter.
  static let countMax = 65_536
  static let countPerConnectionMax = countMax / 4
  /// Most bytes of their requests; of one connection a quarter.
  private let bytesMax: Int

  private var calls: [UInt64: Call] = [:]
  private var numbers: [Key: UInt64] = [:]
  private var shares: [ConnectionNumber?: Share] = [:]
  private var total = Share()

  /// Room for calls whose requests have so many bytes.
  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// How many calls there are.
  var count: Int { calls.count }

  /// Adds a call.
  ///
  /// - Parameters:
  ///   - number: The number under which the other server gets it; never used before.
  ///   - token: Answers it.
  ///   - bytes: The size of its request.
  ///   - mayWait: It may be answered only when something happens.
  /// - Returns: `false` if there are too many calls, or too many of its connection.
  mutating func add(
    _ number: UInt64,
    _ token: ReplyToken,
    bytes: Int,
    mayWait: Bool
  ) -> Bool {
    let connection = token.peer.connection
    var share = shares[connection, default: Share()]
    guard total.count < Self.countMax, total.bytes + bytes <= bytesMax,
      share.count < Self.countPerConnectionMax, share.bytes + bytes <= bytesMax / 4
    else { return false }
    (share.count, share.bytes) = (share.count + 1, share.bytes + bytes)
    (total.count, total.bytes) = (total.count + 1, total.bytes + bytes)
    shares[connection] = share
    calls[number] = Call(token: token, bytes: bytes, mayWait: mayWait)
    numbers[Key(peer: token.peer, callID: token.callID)] = number
    return true
  }

  /// How many calls of a connection there are.
  func count(of connection: ConnectionNumber) -> Int { shares[connection]?.count ?? 0 }

  /// The number of a call that is not answered; `nil`: it is, or was never forwarded.
  func number(of key: Key) -> UInt64? { numbers[key] }

  /// An answer has come.
  ///
  /// - Parameters:
  ///   - number: The call's.
  ///   - isLast: No other follows.
  /// - Returns: Whose it is; `nil`: nobody's any more.
  mutating func answered(_ number: UInt64, isLast: Bool) -> ReplyToken? {
    guard isLast else { return calls[number]?.token }
    return remove(number)
  }

  /// Removes the calls of connections that have ended.
  ///
  /// - Returns: Their numbers.
  mutating func remove(of connections: Set<ConnectionNumber>) -> [UInt64] {
    guard connections.contains(where: { shares[$0] != nil }) else { return [] }
    let ended = calls.filter { $0.value.token.peer.connection.map(connections.contains) ?? false }
    for number in ended.keys { _ = remove(number) }
    return ended.keys.sorted()
  }

  /// Removes the calls that may wait for something to happen.
  mutating func removeWaiting() -> [(number: UInt64, token: ReplyToken)] {
    let waiting = calls.filter(\.value.mayWait).map { ($0.key, $0.value.token) }
    for (number, _) in waiting { _ = remove(number) }
    return waiting.sorted { $0.0 < $1.0 }
  }

  /// Removes all calls.
  mutating func removeAll() -> [ReplyToken] {
    let tokens = calls.sorted { $0.key < $1.key }.map(\.value.token)
    self = ForwardedCalls(bytesMax: bytesMax)
    return tokens
  }

  private mutating func remove(_ number: UInt64) -> ReplyToken? {
    guard let call = calls.removeValue(forKey: number) else { return nil }
    let key = Key(peer: call.token.peer, callID: call.token.callID)
    // A client may use the name of a call for another one before it is answered.
    if numbers[key] == number { numbers[key] = nil }
    let connection = call.token.peer.connection
    if var share = shares[connection] {
      (share.count, share.bytes) = (share.count - 1, share.bytes - call.bytes)
      shares[connection] = share.count == 0 ? nil : share
    }
    (total.count, total.bytes) = (total.count - 1, total.bytes - call.bytes)
    return call.token
  }
}
