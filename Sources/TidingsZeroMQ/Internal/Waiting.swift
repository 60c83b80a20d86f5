internal import Glibc

/// Waits until a descriptor is readable or a moment has come.
///
/// - Parameters:
///   - descriptors: A fixed poll set; negative descriptors are skipped.
///   - deadline: `nil`: wait without a limit.
func wait(for descriptors: inout [pollfd], until deadline: ContinuousClock.Instant?) {
  var timeout: CInt = -1
  if let deadline {
    let remaining = ContinuousClock.now.duration(to: deadline)
    timeout = CInt(clamping: max(0, remaining.wholeMilliseconds))
  }
  // An interruption counts as a wake-up: the loop looks and waits again.
  _ = poll(&descriptors, nfds_t(descriptors.count), timeout)
}

/// Waits until a descriptor is readable.
func wait(for descriptor: CInt) {
  var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
  while descriptors[0].revents == 0 { wait(for: &descriptors, until: nil) }
}

extension Duration {
  /// Rounded up, so that waiting so long reaches the moment.
  var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let fraction = attoseconds > 0 ? (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000 : 0
    return seconds.multipliedReportingOverflow(by: 1000).overflow
      ? (seconds > 0 ? .max : .min) : seconds * 1000 &+ fraction
  }
}

/// The earlier of two moments, where `nil` means never.
package func earlier(
  _ a: ContinuousClock.Instant?,
  _ b: ContinuousClock.Instant?
) -> ContinuousClock.Instant? {
  guard let a, let b else { return a ?? b }
  return min(a, b)
}
