/// Names under which pushes are published: 16 bytes that nobody can guess.
///
/// The first byte is above 1. libzmq 4.3.4 takes the end of a subscription for another subscription
/// if its topic begins with 1, so that a subscriber of such a topic that registers again and drops the
/// first registration's topics gets no more pushes on it.
enum Topic {
  private static let size = 16

  static func random() -> [UInt8] { usable(Cryptography.randomBytes(size)) }

  /// The same one for the same name.
  static func derived(from name: String, secret: [UInt8]) -> [UInt8] {
    usable(Cryptography.hash(Array(name.utf8), key: secret, bytes: size))
  }

  private static func usable(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    if bytes[0] <= 1 { bytes[0] |= 0x80 }
    return bytes
  }
}
