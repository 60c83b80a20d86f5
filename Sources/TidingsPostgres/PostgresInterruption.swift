#if PostgreSQL
internal import CPostgres
internal import Synchronization
internal import TidingsSQL

/// Cancels the statement that a connection runs, from any thread.
///
/// Unchecked: `PQcancel` may be called from any thread, and the lock guards the handle.
final class PostgresInterruption: SQLInterruption, @unchecked Sendable {
  private let lock = Mutex(())
  private var cancel: OpaquePointer?

  deinit { PQfreeCancel(cancel) }

  func interrupt() {
    lock.withLock { _ in
      guard let cancel else { return }
      // A cancellation that does not arrive is as one that came too late.
      var message = [CChar](repeating: 0, count: 256)
      _ = PQcancel(cancel, &message, CInt(message.count))
    }
  }

  /// Follows a connection that was made, or has ended.
  func follow(_ link: Link?) {
    lock.withLock { _ in
      PQfreeCancel(cancel)
      cancel = link?.makeCancel()
    }
  }
}
#endif
