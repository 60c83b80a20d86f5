internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto

extension ClientConfiguration {
  /// What a Connect says.
  ///
  /// - Throws: `KeyText` for a key that is none.
  init(_ task: TidingsConformanceV1.Connect) throws {
    self.init(endpoint: task.endpoint)
    user = task.user
    device = task.device
    connectTimeout = .seconds(60)
    guard !task.serverKey.isEmpty else { return }
    guard let server = PublicKey(z85: task.serverKey),
      let secret = Z85.decode(task.secretKey), let pair = KeyPair(secretKey: secret),
      pair.publicKey == PublicKey(z85: task.publicKey)
    else { throw MalformedKey() }
    keys = ClientKeys(pair, server: server)
  }
}

/// A key of a Connect is not 40 characters of Z85, or the pair is none.
struct MalformedKey: Error, CustomStringConvertible {
  let description = "the keys are not three of 40 characters of Z85, two of them a pair"
}
