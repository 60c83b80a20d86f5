internal import TidingsModel

/// Where a client continues in its notifications: a position for each channel.
///
/// To clients it is opaque: a version, the store's incarnation, the positions, and a hash that only
/// this store can make, over all of that and the feed it was issued for.
struct ChangeToken {
  /// The last event number of each channel that the client has seen.
  var positions: [Int64: Int64] = [:]

  private static let version: UInt8 = 1
  private static let hashBytes = 16

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
    let headBytes = 1 + identity.incarnation.count
    guard bytes.count >= headBytes + Self.hashBytes, bytes[0] == Self.version else {
      throw Self.foreign
    }
    guard bytes[1..<headBytes].elementsEqual(identity.incarnation) else {
      throw ItemError(
        .changeTokenExpired,
        "the change token was issued before the server's data was restored: drop what you cached "
          + "and fetch without a token"
      )
    }
    let hash = Self.hash(bytes.dropLast(Self.hashBytes), feed: feed, identity: identity)
    guard Cryptography.areEqual(bytes.suffix(Self.hashBytes), hash) else { throw Self.foreign }

    var rest = bytes[headBytes..<(bytes.count - Self.hashBytes)]
    while !rest.isEmpty {
      guard let channel = rest.popVarint(), let sequence = rest.popVarint() else {
        throw Self.foreign
      }
      positions[channel] = sequence
    }
  }

  /// The bytes for the client.
  func encoded(feed: String, identity: StoreIdentity) -> [UInt8] {
    var bytes = [Self.version] + identity.incarnation
    for (channel, sequence) in positions.sorted(by: { $0.key < $1.key }) {
      bytes.appendVarint(channel)
      bytes.appendVarint(sequence)
    }
    return bytes + Self.hash(bytes[...], feed: feed, identity: identity)
  }

  private static let foreign = ItemError(
    .invalidArguments,
    "the change token is not one that this server issued to this user for this container: fetch "
      + "without a token"
  )

  private static func hash(
    _ head: ArraySlice<UInt8>,
    feed: String,
    identity: StoreIdentity
  )
    -> [UInt8]
  {
    Cryptography.hash(Array(head) + Array(feed.utf8), key: identity.secret, bytes: hashBytes)
  }
}

extension [UInt8] {
  /// Appends a number, seven bits to a byte, the lowest first.
  fileprivate mutating func appendVarint(_ value: Int64) {
    var rest = UInt64(bitPattern: value)
    while rest > 0x7f {
      append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}

extension ArraySlice<UInt8> {
  /// Removes a number from the front; `nil` when there is none.
  fileprivate mutating func popVarint() -> Int64? {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard let byte = popFirst() else { return nil }
      value |= UInt64(byte & 0x7f) << UInt64(shift)
      if byte < 0x80 { return Int64(bitPattern: value) }
    }
    return nil
  }
}
