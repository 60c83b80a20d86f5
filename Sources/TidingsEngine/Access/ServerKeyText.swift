internal import TidingsModel

/// How the calls of a server key name it: its ID and, behind colons, the environment and the container of the call.
///
/// A key is registered for each container and environment. Its first registration is found by the ID, further ones by the
/// hash of this text. The ID alone names the first one.
enum ServerKeyText {
  /// The digits of an ID.
  static let idBytes = 64

  /// The text of a registration.
  static func text(of token: WebToken) -> String {
    let container = token.container.isEmpty ? "default" : token.container
    let environment = token.environment == .production ? "production" : "development"
    return "\(token.keyID):\(environment):\(container)"
  }
}
