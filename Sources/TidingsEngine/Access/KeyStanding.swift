public import TidingsModel

/// What a key is good for.
public enum KeyStanding: Hashable, Sendable {
  /// Calls are the user's; empty: a guest's.
  case admitted(String)
  /// The user's calls are refused.
  case restricted(String)
  /// It is refused since.
  case expired(String, since: Timestamp)
  /// It is refused since.
  case revoked(String, since: Timestamp)
  /// It was never admitted.
  case unknown
}
