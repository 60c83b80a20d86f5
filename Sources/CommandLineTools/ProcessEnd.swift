internal import Glibc

/// Ends a process that has threads.
///
/// Unlike `exit` it runs no destructors of libraries: a thread that still runs, or ends at this moment, uses what they
/// free. OpenSSL's take away the lock that every thread needs for its end.
///
/// - Parameter code: The exit code.
public func endProcess(_ code: Int32) -> Never {
  fflush(nil)
  _exit(code)
}
