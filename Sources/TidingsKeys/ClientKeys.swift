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

  /// Keys of a client, as options give them.
  ///
  /// - Parameters:
  ///   - file: The file of the client's pair.
  ///   - server: The server's public key, or its file.
  /// - Throws: An error that names the file.
  public init(file: String, server: String) throws {
    let key = try PublicKey(z85: server) ?? KeyFile(path: server).publicKey
    self.init(try KeyFile.pair(path: file), server: key)
  }
}
