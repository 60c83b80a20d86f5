public import TidingsKeys

/// Who may connect, and how they prove who they are.
public enum Security: Sendable {
  /// Authentication is off, so only this machine may connect.
  case development
  /// A server that proves itself with its key pair, and lets those in whose key is admitted.
  ///
  /// The closure answers with a key's number, which every call on the connection carries, or with
  /// `nil` to refuse it. It is called on a thread of its own and must not wait for anything.
  case curveServer(KeyPair, admit: @Sendable (PublicKey) -> Int64?)
  /// A client that proves itself with its key pair, to the server that has the other key.
  case curveClient(ClientKeys)

  /// Whether the routing ids that peers claim are hidden from libzmq; with CURVE they do not count.
  var hidesIdentities: Bool {
    if case .development = self { true } else { false }
  }
}
