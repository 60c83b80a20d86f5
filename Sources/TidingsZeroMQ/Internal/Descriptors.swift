internal import Glibc

/// Descriptors that the process may still open: for lack of them libzmq would end it.
enum Descriptors {
  /// How many a connection takes: sockets, events, and those of its threads.
  private static let neededMax = 24

  /// Looks before sockets are made.
  ///
  /// - Throws: When too few are left.
  static func check() throws(TransportError) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
      let most = Int(exactly: limit.rlim_cur), let count = openCount(), most - count < neededMax
    else { return }
    throw TransportError(
      code: EMFILE,
      "\(count) of \(most) file descriptors are in use, too many for another connection: close some, or "
        + "raise the limit of open files"
    )
  }

  /// How many are open; `nil`: the system does not say.
  private static func openCount() -> Int? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    // Not the folder itself and the one above, nor the descriptor that reads it.
    var count = -3
    while readdir(folder) != nil { count += 1 }
    return count
  }
}
