internal import CGnuTLS

/// The GnuTLS that is loaded.
public enum GnuTLSLibrary {
  /// As it names itself, for example `3.7.9`.
  public static var version: String { String(cString: gnutls_check_version(nil)) }
}
