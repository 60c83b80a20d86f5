/// The version of this package: of its server, its command line and its libraries.
public enum Version {
  /// Major, minor and patch, for example `0.1.0`.
  public static let current = "0.1.0"
}
