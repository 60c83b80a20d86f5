internal import CSodium
internal import Glibc

/// Keeps secrets out of what the system writes to disk when a process crashes.
public enum CoreDumps {
  /// No core dumps of this process from now on, not by way of a program either that the system hands
  /// them to; and no other process of its user looks into its memory.
  public static func forbid() {
    // Less than there was is always allowed.
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    // The limit does not hold for dumps that are piped to a program.
    _ = tidings_dumps_forbid()
  }
}
