public import TidingsModel

/// A credential of callers on the web, without its secret.
public struct WebToken: Hashable, Sendable {
  /// What a credential is; the numbers are those of the contract and of the store.
  public enum Kind: Int64, Sendable {
    /// Names a container and an environment; alone it is a guest's.
    case apiToken = 1
    /// A user who signed in with an API token.
    case session = 2
    /// A key with which a server signs its calls.
    case serverKey = 3
  }

  /// Identifies it; never used again.
  ///
  /// Calls carry it negated, in place of the number of a key.
  public var id: Int64
  /// What it is.
  public var kind: Kind
  /// The user of a session or a server key; empty for an API token.
  public var user: String
  /// The container that it is for.
  public var container: String
  /// The environment that it is for.
  public var environment: Environment
  /// What it is for.
  public var label = ""
  /// The origins whose pages may use an API token; none: all.
  public var origins: [String] = []
  /// Where a sign-in with an API token ends; empty: in the page that began it.
  public var callbackURL = ""
  /// The API token of a session; 0: it is none.
  public var apiToken: Int64 = 0
  /// A server key: its SubjectPublicKeyInfo in DER.
  ///
  /// The session of a dashboard: the CURVE key with which the user began it; empty while authentication was off.
  public var publicKey: [UInt8] = []
  /// A session that lasts two weeks instead of 30 minutes.
  public var isKept = false
  /// When it was created.
  public var created: Timestamp
  /// Refused from then on; `nil`: never.
  public var expires: Timestamp?
  /// Refused since; `nil`: it is not.
  public var revoked: Timestamp?
  /// What the store has instead of the secret.
  var hash: WebTokenHash
  /// The hash of the token before the last renewal, and until when that is valid.
  var previous: Previous?

  /// The token of a session before its last renewal.
  struct Previous: Hashable, Sendable {
    var hash: WebTokenHash
    var ends: Timestamp
  }

  /// A session of a dashboard, which has no API token and ends with the key that began it.
  ///
  /// The token before its first renewal is a sign-in, with which nothing else can be called.
  public var isOfDashboard: Bool { kind == .session && apiToken == 0 }

  /// The ID of a server key; empty for others, whose hash is not shown.
  public var keyID: String {
    guard kind == .serverKey else { return "" }
    return publicKey.withUnsafeBytes { WebTokenHash(hashing: $0) }.bytes.hexadecimal
  }

  /// The token is over, whatever else it depends on.
  func hasExpired(at now: Timestamp) -> Bool { expires.map { $0 <= now } ?? false }
}

/// A web credential to be created.
public struct WebTokenRequest: Hashable, Sendable {
  /// What is created.
  public enum Credential: Hashable, Sendable {
    /// An API token: the origins whose pages may use it, and where a sign-in ends.
    case apiToken(origins: [String], callbackURL: String)
    /// A server key of a user, as SubjectPublicKeyInfo in DER.
    case serverKey(user: String, publicKey: [UInt8])
  }

  /// The container.
  public var container: String
  /// The environment.
  public var environment: Environment
  /// What it is for.
  public var label: String
  /// Refused from then on; `nil`: never.
  public var expires: Timestamp?
  /// What is created.
  public var credential: Credential

  /// A web credential to be created.
  public init(
    container: String,
    environment: Environment,
    label: String,
    expires: Timestamp?,
    _ credential: Credential
  ) {
    (self.container, self.environment, self.label) = (container, environment, label)
    (self.expires, self.credential) = (expires, credential)
  }
}

extension Timestamp {
  /// A later time.
  func advanced(seconds: Int) -> Self { advanced(milliseconds: Int64(seconds) * 1_000) }
}
