public import TidingsModel

/// What a call of a gateway says of its caller, as it was received; valid for the call.
public struct WebCredentialText {
  /// 64 hexadecimal digits; `nil`: none.
  public var apiToken: UnsafeRawBufferPointer?
  /// The token or the handle of a session; `nil`: none.
  public var webAuthToken: UnsafeRawBufferPointer?
  /// The ID of a server key, 64 hexadecimal digits; `nil`: none.
  public var serverKey: UnsafeRawBufferPointer?
  /// The call renews its session, which completes a sign-in to the dashboard.
  public var isRenewal: Bool
  /// Authentication is on: the session of a dashboard depends on a key.
  public var requiresKey: Bool

  /// What a call says.
  public init(
    apiToken: UnsafeRawBufferPointer?,
    webAuthToken: UnsafeRawBufferPointer?,
    serverKey: UnsafeRawBufferPointer?,
    isRenewal: Bool,
    requiresKey: Bool
  ) {
    self.apiToken = apiToken
    self.webAuthToken = webAuthToken
    self.serverKey = serverKey
    (self.isRenewal, self.requiresKey) = (isRenewal, requiresKey)
  }
}

/// Why a web credential is refused.
public struct WebCredentialRefusal: Error, Hashable, Sendable {
  /// What is wrong with it.
  public enum Reason: Hashable, Sendable {
    /// There is none, or none that goes with the others.
    case unknown
    /// It is refused since.
    case expired(Timestamp)
    /// It is refused since.
    case revoked(Timestamp)
  }

  /// Which one is wrong: of a session with its API token, one of the two.
  public let kind: WebToken.Kind
  /// What is wrong with it.
  public let reason: Reason

  init(_ kind: WebToken.Kind, _ reason: Reason) { (self.kind, self.reason) = (kind, reason) }
}
