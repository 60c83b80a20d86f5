public import TidingsKeys

/// Endpoints at which a server proves itself with another key pair, while its key is replaced.
///
/// libzmq gives each listener of a socket the keys that the socket has when it is bound, so both keys are
/// served by the same sockets, and whoever connects is admitted, counted and answered alike.
public struct SecondKey: Sendable {
  /// What the server proves itself with there.
  public var pair: KeyPair
  /// Where calls go: `tcp://HOST:PORT`; port 0 picks a free port.
  public var endpoint: String
  /// Where published messages come from.
  public var pushEndpoint: String
  /// The push endpoint that clients get; `nil`: the bound one.
  public var advertisedPushEndpoint: String?

  /// Another key, and where it is served.
  public init(
    pair: KeyPair,
    endpoint: String,
    pushEndpoint: String,
    advertisedPushEndpoint: String? = nil
  ) {
    (self.pair, self.endpoint, self.pushEndpoint) = (pair, endpoint, pushEndpoint)
    self.advertisedPushEndpoint = advertisedPushEndpoint
  }
}

extension Socket {
  /// Listens with the second key too, if there is one; the listeners before keep theirs.
  ///
  /// - Returns: The endpoint as bound.
  func bindSecond(
    _ endpoint: KeyPath<SecondKey, String>,
    of peers: InboundBytes.Peers,
    _ configuration: ServerConfiguration
  ) throws(TransportError) -> String? {
    guard let second = configuration.second,
      case .curveServer(_, let admit) = configuration.security
    else { return nil }
    try secure(.curveServer(second.pair, admit: admit))
    return try bind(second[keyPath: endpoint], of: peers)
  }
}
