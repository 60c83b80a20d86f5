internal import CMicroHTTPD

/// The libmicrohttpd that is loaded.
public enum MicroHTTPDLibrary {
  /// As it names itself, for example `0.9.75`.
  public static var version: String { String(cString: MHD_get_version()) }
}
