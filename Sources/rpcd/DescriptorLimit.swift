import TidingsService

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// How many files and connections the process may have open.
enum DescriptorLimit {
  /// Raises it as far as the system lets it: each connection takes one.
  ///
  /// - Throws: `StartError` when that is too few.
  static func raise(toAtLeast count: Int) throws(StartError) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
      limit.rlim_cur < count
    else { return }
    throw StartError(
      "the process may have \(limit.rlim_cur) files open and needs \(count): raise the limit with "
        + "ulimit -n, or LimitNOFILE of the service"
    )
  }
}
