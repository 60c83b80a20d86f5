internal import CCrypto

/// The libcrypto that is loaded.
public enum CryptoLibrary {
  /// As it names itself, for example `3.0.17`.
  public static var version: String { String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) }
}
