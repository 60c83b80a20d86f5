internal import TidingsModel

/// Each user's own topic, which nobody else can guess; derived, so that it need not be stored.
struct ControlTopics {
  private let secret: [UInt8]

  init(secret: [UInt8]) { self.secret = secret }

  /// The topic of a user in a container, 16 bytes.
  func topic(of user: String, container: String, environment: Environment) -> [UInt8] {
    let name = "control\0\(user)\0\(container)\0\(environment.rawValue)"
    return Cryptography.hash(Array(name.utf8), key: secret, bytes: 16)
  }
}
