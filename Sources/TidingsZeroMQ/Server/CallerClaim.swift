internal import TidingsRPC

/// What a call's metadata says of its caller, where it was received; valid until the call is admitted.
///
/// Most calls name a user and a device at most: then nothing is looked for.
public struct CallerClaim {
  private let header: RequestHeaderView?

  init(_ header: RequestHeaderView) { self.header = header }

  private init() { header = nil }

  /// Nothing, for callers of a delegate that have no header.
  package static var none: CallerClaim { CallerClaim() }

  /// The user; `nil`: none.
  public var user: UnsafeRawBufferPointer? { header?.user }

  /// The credential of a gateway's caller; `nil`: none.
  public var webCredential: WebCredential? {
    guard let header, header.hasOtherMetadata else { return nil }
    return WebCredential(
      apiToken: header.metadata(Metadata.apiTokenKey),
      webAuthToken: header.metadata(Metadata.webAuthTokenKey),
      serverKey: header.metadata(Metadata.serverKeyKey)
    )
  }

  /// The credential of a caller on the web.
  public struct WebCredential {
    /// The value of `Metadata.apiTokenKey`; `nil`: none.
    public let apiToken: UnsafeRawBufferPointer?
    /// The value of `Metadata.webAuthTokenKey`; `nil`: none.
    public let webAuthToken: UnsafeRawBufferPointer?
    /// The value of `Metadata.serverKeyKey`; `nil`: none.
    public let serverKey: UnsafeRawBufferPointer?

    /// `nil` if there is none of them.
    init?(
      apiToken: UnsafeRawBufferPointer?,
      webAuthToken: UnsafeRawBufferPointer?,
      serverKey: UnsafeRawBufferPointer?
    ) {
      guard apiToken != nil || webAuthToken != nil || serverKey != nil else { return nil }
      (self.apiToken, self.webAuthToken) = (apiToken, webAuthToken)
      self.serverKey = serverKey
    }
  }
}
