internal import TidingsSeal

/// The keys of topics; derived, so that they need not be stored.
struct PushKeys {
  private let secret: [UInt8]

  init(secret: [UInt8]) { self.secret = secret }

  /// What seals the pushes on a topic.
  func key(of topic: [UInt8]) -> SealingKey {
    SealingKey(secret: secret, name: "channel-key".utf8 + topic)
  }
}
