internal import TidingsModel

/// Marks pushes so that the device that caused one can skip it, and nobody else learns which it was.
struct OriginTags {
  private let secret: [UInt8]

  init(secret: [UInt8]) { self.secret = secret }

  /// The mark of a device on a channel; 0 when the call named no device.
  func tag(_ caller: Caller, topic: [UInt8]) -> UInt64 {
    guard !caller.device.isEmpty else { return 0 }
    let message = topic + caller.user.utf8 + [0] + caller.device.utf8
    let hash = Cryptography.hash(message, key: secret, bytes: 16)
    let tag = hash.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    return tag == 0 ? 1 : tag
  }
}
