public import TidingsKeys
public import TidingsRPC

/// Who may connect, and how they prove who they are.
public enum Security: Sendable {
  /// Authentication is off, so only this machine may connect.
  case development
  /// A server that proves itself with its key pair, and lets those in whose key is admitted.
  ///
  /// The closure answers with what is known of a key, or with `nil` to refuse it. It is called on a thread of its own
  /// and must not wait for anything.
  case curveServer(KeyPair, admit: @Sendable (PublicKey) -> AdmittedKey?)
  /// A client that proves itself with its key pair, to the server that has the other key.
  case curveClient(ClientKeys)

  /// Whether the routing ids that peers claim are hidden from libzmq; with CURVE they do not count.
  var hidesIdentities: Bool {
    if case .development = self { true } else { false }
  }
}

/// A key whose owner may connect.
public struct AdmittedKey: Hashable, Sendable {
  /// Every call on the connection carries it.
  public let number: Int64
  /// For whom the connections count.
  public let owner: CallerKey

  /// A key.
  ///
  /// - Parameters:
  ///   - number: Its number.
  ///   - user: Whose it is; empty: a guest's.
  public init(number: Int64, user: String = "") {
    self.number = number
    owner = user.isEmpty ? CallerKey(guestKey: number) : CallerKey(user: user)
  }
}
