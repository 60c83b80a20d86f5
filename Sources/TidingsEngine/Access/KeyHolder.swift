public import TidingsKeys
public import TidingsModel

/// Whose a key or a web credential is, for logs and for the user's own eyes.
public struct KeyHolder: Hashable, Sendable {
  /// What it is.
  public enum Credential: Hashable, Sendable {
    /// The key of a connection.
    case key(PublicKey)
    /// A web credential, by its ID.
    case webToken(Int64)
  }

  /// Empty: a guest.
  public let user: String
  /// What it is.
  public let credential: Credential
  /// When it expires; `nil`: never, or it is revoked.
  public let expires: Timestamp?

  /// The key of a connection; `nil`: it is a web credential.
  public var publicKey: PublicKey? {
    if case .key(let key) = credential { key } else { nil }
  }

  /// The key, or the number of the web credential.
  public var keyText: String {
    switch credential {
    case .key(let key): key.description
    case .webToken(let id): "web token \(id)"
    }
  }
}
