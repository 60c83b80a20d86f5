/// What a client needs to connect with CURVE: its own key pair, and the server's public key.
public struct ClientKeys: Sendable {
  /// The client's own.
  public var pair: KeyPair
  /// The key that the server must have.
  public var server: PublicKey

  /// Keys of a client.
  public init(_ pair: KeyPair, server: PublicKey) {
    self.pair = pair
    self.server = server
  }
}
