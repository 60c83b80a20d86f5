internal import TidingsModel
internal import TidingsWire

/// Numbers that a client keeps for the server and cannot read or change: what all tokens of feeds are
/// made of.
///
/// A version, the store's incarnation, the numbers, that of the store's start, and a hash that only
/// this store can make, over all of that and the purpose that the token was issued for.
enum SealedToken {
  private static let version: UInt8 = 1
  private static let hashBytes = 16

  /// The bytes for the client.
  ///
  /// - Parameters:
  ///   - numbers: What to keep; small ones are short.
  ///   - purpose: What the token is issued for: it is good for nothing else.
  ///   - identity: The store that issues it.
  /// - Returns: The token.
  static func seal(_ numbers: [Int64], for purpose: String, _ identity: StoreIdentity) -> [UInt8] {
    var token = WireWriter()
    token.append([version])
    token.append(identity.incarnation)
    for number in numbers { token.varint(UInt64(bitPattern: number)) }
    if let start = identity.starts.newest { token.varint(UInt64(bitPattern: start)) }
    return token.bytes + hash(token.bytes[...], purpose, identity)
  }

  /// Reads a token that a client sent.
  ///
  /// - Parameters:
  ///   - bytes: The token.
  ///   - purpose: What it must have been issued for.
  ///   - identity: The store that must have issued it.
  ///   - holder: What it must be a token of, for the message, for example `zone 'notes' of this database`.
  /// - Returns: The numbers.
  /// - Throws: `invalidArguments` for bytes that are no token for this purpose; `changeTokenExpired`
  ///   for one from before a restored backup, or an older copy that was put in place.
  static func open(
    _ bytes: [UInt8],
    for purpose: String,
    _ identity: StoreIdentity,
    holder: @autoclosure () -> String
  ) throws(ItemError) -> [Int64] {
    let headBytes = 1 + identity.incarnation.count
    guard bytes.count >= headBytes + hashBytes, bytes[0] == version else {
      throw foreign(holder())
    }
    guard bytes[1..<headBytes].elementsEqual(identity.incarnation) else {
      throw restored
    }
    let expected = hash(bytes.dropLast(hashBytes), purpose, identity)
    guard Cryptography.areEqual(bytes.suffix(hashBytes), expected) else {
      throw foreign(holder())
    }
    var numbers: [Int64] = []
    var rest = WireReader(bytes[headBytes..<(bytes.count - hashBytes)])
    while !rest.isAtEnd {
      guard let number = try? rest.varint() else { throw foreign(holder()) }
      numbers.append(Int64(bitPattern: number))
    }
    guard identity.starts.newest != nil else { return numbers }
    guard identity.starts.include(numbers.popLast()) else { throw restored }
    return numbers
  }

  /// The refusal of a token that another state of the data issued, from which this one does not
  /// follow.
  private static let restored = ItemError(
    .changeTokenExpired,
    "the change token was issued before the server's data was restored: drop what you cached and "
      + "fetch without a token"
  )

  /// The refusal of bytes that are no token for a purpose.
  static func foreign(_ holder: String) -> ItemError {
    ItemError(
      .invalidArguments,
      "the change token is not one that this server issued for \(holder): fetch without a token"
    )
  }

  private static func hash(
    _ head: ArraySlice<UInt8>,
    _ purpose: String,
    _ identity: StoreIdentity
  )
    -> [UInt8]
  {
    Cryptography.hash(Array(head) + Array(purpose.utf8), key: identity.secret, bytes: hashBytes)
  }
}
