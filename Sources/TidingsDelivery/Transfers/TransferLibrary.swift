internal import CCurl

/// The libcurl that is loaded.
public enum TransferLibrary {
  /// As it names itself, for example `7.88.1`.
  public static var version: String { String(cString: tidings_curl_version()) }
}
