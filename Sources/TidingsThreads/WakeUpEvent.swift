internal import CThreads
internal import Glibc

/// Wakes a thread that polls descriptors.
package final class WakeUpEvent: Sendable {
  /// Readable from `signal` until `clear`; to be polled.
  package let descriptor = tidings_eventfd_make()

  package init() {}

  deinit { close(descriptor) }

  package func signal() { tidings_eventfd_signal(descriptor) }

  package func clear() { tidings_eventfd_clear(descriptor) }
}
