internal import TidingsModel

/// Where a client continues in its notifications.
///
/// One number serves for all channels, because a page takes their events in the order in which they
/// were stored: whatever was stored up to it was returned or skipped. To clients it is opaque: a
/// `SealedToken`.
struct ChangeToken: Hashable {
  /// Everything up to this event was seen.
  var event: Int64
  /// Everything up to this read mark was seen.
  var mark: Int64

  private static let holder = "this user's notifications in this container"

  /// A token from its numbers.
  init(event: Int64, mark: Int64) {
    self.event = event
    self.mark = mark
  }

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
    guard numbers.count == 2 else { throw SealedToken.foreign(Self.holder) }
    self.init(event: numbers[0], mark: numbers[1])
  }

  /// The bytes for the client.
  func encoded(feed: String, identity: StoreIdentity) -> [UInt8] {
    SealedToken.seal([event, mark], for: feed, identity)
  }
}
