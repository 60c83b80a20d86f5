#if DEBUG
internal import TidingsEncryption
internal import TidingsKeys
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsSeal

@testable internal import TidingsClient

extension FuzzTarget {
  /// What clients read: pushes of anybody, files of their own.
  static let client = [
    FuzzTarget("push") { bytes in
      guard let push = try? TidingsV1.Push(decoding: Array(bytes)) else { return }
      // Nobody without the key can make a push that is trusted.
      switch PushContent(push, of: channel) {
      case .hint, .unreadable: break
      case .notification(let notification):
        throw FuzzFinding(description: "accepted: \(notification)")
      case .readMarks(let marks): throw FuzzFinding(description: "accepted: \(marks)")
      }
      if case .readMarks(let marks) = PushContent(push, controlKey: channel.key) {
        throw FuzzFinding(description: "accepted: \(marks)")
      }
      // In the clear, what is trusted is for this channel.
      var open = channel
      open.key = []
      if case .notification(let notification) = PushContent(push, of: open) {
        try require(
          notification.position?.channelID == channel.position?.channelID
            && notification.position?.sequenceNumber == push.sequenceNumber,
          "accepted for another place: \(notification)"
        )
      }
      _ = PushContent(push, controlKey: [])
    },
    FuzzTarget("key-ring") { bytes in
      guard let text = text(bytes) else { return }
      let ring: KeyRing
      do {
        ring = try KeyRing(text: text)
      } catch {
        return try require("\(error)".utf8.count < 4096, "no reason to show")
      }
      try require(try KeyRing(text: ring.text) == ring, "its text is another ring: \(text)")
    },
    FuzzTarget("public-key") { bytes in
      guard let text = text(bytes), let key = PublicKey(z85: text) else { return }
      try require(key.bytes.count == PublicKey.byteCount, "a key of another length")
      try require(key.description == text, "\(text) prints as \(key)")
    },
    FuzzTarget("sealed-value") { bytes in
      guard let key = EncryptionKey([UInt8](repeating: 7, count: 32)) else { return }
      let location = FieldLocation(
        container: "default",
        environment: "development",
        zoneOwner: "ada",
        zoneName: "z",
        recordName: "r",
        field: "f"
      )
      try require(key.open(Array(bytes), from: location) == nil, "a forged value opens")
    },
  ]

  private static let channel = TidingsV1.Channel(
    position: .init(channelID: "7", sequenceNumber: 3),
    topic: [UInt8](repeating: 1, count: 16),
    key: [UInt8](repeating: 2, count: SealingKey.byteCount)
  )
}
#endif
