internal import TidingsModel

/// Where a client continues in its notifications: a position for each channel.
///
/// To clients it is opaque: a `SealedToken`.
struct ChangeToken {
  /// The last event number of each channel that the client has seen.
  var positions: [Int64: Int64] = [:]

  private static let holder = "this user's notifications in this container"

  /// A token that has seen nothing.
  init() {}

  /// Reads a token that a client sent.
  ///
  /// - Parameters:
  ///   - bytes: The token.
  ///   - feed: What it must have been issued for.
  ///   - identity: The store that must have issued it.
  /// - Throws: `invalidArguments` for bytes that are no token of this feed; `changeTokenExpired` for
  ///   one from before a restored backup.
  init(_ bytes: [UInt8], feed: String, identity: StoreIdentity) throws(ItemError) {
    let numbers = try SealedToken.open(bytes, for: feed, identity, holder: Self.holder)
    guard numbers.count.isMultiple(of: 2) else { throw SealedToken.foreign(Self.holder) }
    for index in stride(from: 0, to: numbers.count, by: 2) {
      positions[numbers[index]] = numbers[index + 1]
    }
  }

  /// The bytes for the client.
  func encoded(feed: String, identity: StoreIdentity) -> [UInt8] {
    let pairs = positions.sorted { $0.key < $1.key }
    return SealedToken.seal(pairs.flatMap { [$0.key, $0.value] }, for: feed, identity)
  }
}
