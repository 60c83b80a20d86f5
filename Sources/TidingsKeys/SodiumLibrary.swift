internal import CSodium

/// The libsodium that is loaded.
public enum SodiumLibrary {
  /// As it names itself, for example `1.0.18`.
  public static var version: String { String(cString: sodium_version_string()) }
}
