public import TidingsModel

/// What a call of a gateway says of its caller, as it was received; valid for the call.
public struct WebCredentialText {
  /// 64 hexadecimal digits; `nil`: none.
  public var apiToken: UnsafeRawBufferPointer?
  /// The token of a session; `nil`: none.
  public var webAuthToken: UnsafeRawBufferPointer?
  /// The ID of a server key, 64 hexadecimal digits; `nil`: none.
  public var serverKey: UnsafeRawBufferPointer?

  /// What a call says.
  public init(
    apiToken: UnsafeRawBufferPointer?,
    webAuthToken: UnsafeRawBufferPointer?,
    serverKey: UnsafeRawBufferPointer?
  ) {
    self.apiToken = apiToken
    self.webAuthToken = webAuthToken
    self.serverKey = serverKey
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
