internal import TidingsModel

/// Marks pushes so that the device that caused one can skip it, and nobody else learns which it was.
struct OriginTags {
  /// Makes the marks of one device.
  struct Device {
    /// Empty: the call named no device.
    fileprivate let key: [UInt8]

    /// The mark on a channel; 0 when the call named no device.
    func tag(topic: [UInt8]) -> UInt64 {
      guard !key.isEmpty else { return 0 }
      let tag = Cryptography.shortHash(topic, key: key)
      return tag == 0 ? 1 : tag
    }
  }

  private let secret: [UInt8]

  init(secret: [UInt8]) { self.secret = secret }

  /// What marks the pushes of a caller's device, for many channels.
  func device(of caller: Caller) -> Device {
    guard !caller.device.isEmpty else { return Device(key: []) }
    let message = Array("origin\0\(caller.user)\0\(caller.device)".utf8)
    return Device(key: Cryptography.hash(message, key: secret, bytes: 16))
  }

  /// The mark of a device on a channel; 0 when the call named no device.
  func tag(_ caller: Caller, topic: [UInt8]) -> UInt64 { device(of: caller).tag(topic: topic) }
}
