internal import Glibc

/// Returns the monotonic clock's time in nanoseconds, without a system call.
///
/// `ContinuousClock` counts attoseconds in 128 bits, which is more than a measurement of each call may cost.
package func monotonicNanoseconds() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
}
