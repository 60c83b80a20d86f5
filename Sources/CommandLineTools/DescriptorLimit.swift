internal import Glibc

/// How many files and connections the process may have open.
public enum DescriptorLimit {
  /// Raises it as far as the system lets it: each connection takes one.
  ///
  /// - Returns: The limit; `nil` when the system does not say.
  public static func raise() -> Int? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return Int(clamping: limit.rlim_cur)
  }
}
